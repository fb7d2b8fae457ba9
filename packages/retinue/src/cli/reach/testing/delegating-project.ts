/**
 * A project whose main agent hands work down two levels and goes on: `main` starts `middle` and `idler` in the background, `middle` starts `leaf`,
 * and `leaf` wants to run a command that needs an answer. The main agent's second turn and the idler's are held until the test lets them go.
 */
import type { MockReply } from "@retinue/model/testing";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MockProject } from "../../testing/mock-project.ts";
import { call, createMockProject } from "../../testing/mock-project.ts";

export type DelegatingProject = MockProject & {
  /** Lets the main agent's second turn go on. */
  readonly release: () => void;
  /** The texts of what the main agent was sent, the latest last. */
  readonly heardByMain: () => readonly string[];
  /** How often each agent's model was asked. */
  readonly asked: ReadonlyMap<string, number>;
  readonly effects: () => Promise<string>;
};

export const COMMAND = "echo once >> effects";

const AGENTS = {
  middle: "tools: [shell]\ndelegates: [leaf]\ngrant: session",
  leaf: "tools: [shell]\ngrant: session",
  idler: "tools: []",
};

const whoAsks = (system: string): string => /You are (middle|leaf|idler)\./.exec(system)?.[1] ?? "main";

export const createDelegatingProject = async (settings = ""): Promise<DelegatingProject> => {
  const asked = new Map<string, number>();
  const heard: string[] = [];
  const gate = Promise.withResolvers<void>();
  const reply = async ({ text }: { readonly text: string }): Promise<MockReply> => {
    const who = whoAsks(text);
    const turn = (asked.get(who) ?? 0) + 1;
    asked.set(who, turn);
    if (who === "idler") return { fault: { type: "stall-before-headers" } };
    // A tool's answer ends the conversation of those below.
    const isAnswered = /"role":"tool"/.test(text);
    if (who === "leaf") return isAnswered ? { text: "The leaf ran it." } : { toolCalls: [call("shell", { command: COMMAND })] };
    if (who === "middle")
      return isAnswered
        ? { text: "The middle is done." }
        : { toolCalls: [call("delegate_to_agent", { agent: "leaf", task: "run the command" })] };
    heard.push(text);
    if (!isAnswered)
      return {
        toolCalls: [
          call("delegate_to_agent", { agent: "middle", task: "have it run", background: true }),
          call("delegate_to_agent", { agent: "idler", task: "idle", background: true }),
        ],
      };
    await gate.promise;
    return { text: "All is done." };
  };
  const made = await createMockProject(reply, `approvals: { unattended: park }\n${settings}`);
  const folder = join(made.project.workspace, ".retinue/agents");
  await mkdir(folder, { recursive: true });
  for (const [name, fields] of Object.entries(AGENTS))
    await writeFile(
      join(folder, `${name}.md`),
      `---\nname: ${name}\ndescription: Is ${name}.\n${fields}\n---\nYou are ${name}.\n`,
    );
  return {
    ...made,
    release: () => gate.resolve(),
    heardByMain: () => heard,
    asked,
    effects: () => readFile(join(made.project.workspace, "effects"), "utf8").catch(() => ""),
  };
};
