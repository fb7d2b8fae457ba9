/** A run of three depths with everything that a record has to tell of: tools, a failure, a denial, bad arguments, a limit, an unknown tool. */
import { createScriptedModel } from "@retinue/model/testing";
import type { ScriptedTurn } from "@retinue/model/testing";
import type { SessionId } from "@retinue/protocol";
import type { EventLog, MessageRow, ReadSide } from "@retinue/store";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createProject } from "../cli/testing/spawn-retinue.ts";
import { createRetinue } from "../create-retinue.ts";
import { DEFAULT_SETTINGS } from "../settings/settings.ts";

const call = (callId: string, tool: string, input: Record<string, unknown>): ScriptedTurn => ({
  toolCalls: [{ callId, tool, input: input as never }],
});

const TURNS: Readonly<Record<string, readonly ScriptedTurn[]>> = {
  main: [
    call("m1", "delegate_to_agent", { agent: "executor", task: "build it", context_mode: "full" }),
    call("m2", "fly", { to: "the moon" }),
    { text: "Built." },
  ],
  executor: [
    call("e1", "read", { path: "a.txt" }),
    call("e2", "read", { path: "absent.txt" }),
    call("e3", "read", { path: 7 }),
    { toolCalls: [{ callId: "e4", tool: "read", arguments: '{"path": ' }] },
    call("e5", "write", { path: "b.txt", content: "b" }),
    call("e6", "delegate_to_agent", {
      agent: "reviewer",
      task: "check it",
      success_criteria: "no bug is left",
      limits: { iterations: 1 },
    }),
    { text: "## Summary\nNothing was written.\n\n## Details\nThe file may not be written." },
  ],
  reviewer: [call("r1", "read", { path: "a.txt" }), { text: "I saw one file." }],
};

export type NestedRun = {
  readonly sessionId: SessionId;
  readonly rows: readonly MessageRow[];
  readonly readSide: ReadSide;
  readonly remove: () => Promise<void>;
};

export const runNested = async (store: EventLog & { readonly readSide: ReadSide }): Promise<NestedRun> => {
  const project = await createProject();
  await writeFile(join(project.workspace, "a.txt"), "one\n");
  const asked = new Map<string, number>();
  const model = createScriptedModel(
    ({ system }) => {
      const [agent = "main"] = ["executor", "reviewer"].filter((name) => system.includes(`operating as a **${name}**`));
      const turn = asked.get(agent) ?? 0;
      asked.set(agent, turn + 1);
      return TURNS[agent]?.[turn];
    },
    { usage: { input: 100, output: 10 }, contextWindow: 100_000 },
  );
  const retinue = await createRetinue({
    workspace: project.workspace,
    env: { RETINUE_HOME: project.home },
    settings: DEFAULT_SETTINGS,
    store,
    model,
    approver: async () => ({ allowed: false, scope: "once", reason: "not today" }),
  });
  const { sessionId, result } = await retinue.run("build something");
  await result;
  const rows = (await retinue.sessions.messages(sessionId, { limit: 100 })).items;
  return {
    sessionId,
    rows,
    readSide: retinue.sessions,
    remove: async () => {
      await retinue.close();
      await project.remove();
    },
  };
};
