/** Files that a delegation names reach the sub-agent's prompt only as `read` would give them: judged on what was opened, never blocking, cut at a bound. */
import type { FlipRace } from "@retinue/confine/testing";
import { CANARY as FLIPPED, startFlipRace } from "@retinue/confine/testing";
import type { ScriptedTurn } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import type { RecordedEvent } from "@retinue/protocol";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { defineTool } from "@retinue/runtime";
import { createMemoryLog } from "@retinue/store";
import { execFileSync } from "node:child_process";
import { linkSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createProject } from "./cli/testing/spawn-retinue.ts";
import { createRetinue } from "./create-retinue.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const define = (name: string) => ({
  ...agentFrontMatterSchema.parse({ name, description: `Is ${name}.`, tools: ["read", "tell_much"], grant: "session" }),
  delegates: name === "lead" ? ["worker"] : [],
  prompt: `You are ${name}.`,
});

type Place = { readonly workspace: string; readonly secret: string };

type Trial = {
  readonly files: readonly string[];
  /** Puts things into the workspace before the run starts. */
  readonly lay?: (place: Place) => void | Promise<void>;
  /** What the lead does in its turns before it delegates; given the answers to its calls so far. */
  readonly before?: (said: string) => ScriptedTurn | undefined;
};

const TELL_MUCH = defineTool({
  name: "tell_much",
  description: "Tells more than fits.",
  input: z.object({}),
  effect: "read",
  execute: async () => "a kept line\n".repeat(9_000),
});

const CANARY = "canary-of-the-user";

const delegateWith = async ({ files, lay, before }: Trial) => {
  const project = await createProject();
  const { workspace } = project;
  const secret = path.join(project.home, "id_rsa");
  await mkdir(project.home, { recursive: true });
  await writeFile(secret, `${CANARY}\n`);
  await writeFile(path.join(workspace, "plain.txt"), "plain words\n");
  await lay?.({ workspace, secret });
  let named = files;
  const asked: string[] = [];
  const script = ({ system, messages }: { readonly system: string; readonly messages: unknown }, turn: number): ScriptedTurn => {
    const said = JSON.stringify(messages);
    if (system.includes("You are worker.")) {
      asked.push(said);
      return { text: "Done." };
    }
    const first = before?.(said);
    if (first && turn === 0) return first;
    if (turn > (first ? 1 : 0)) return { text: "Done." };
    const kept = /artifact:art_[\w-]+/.exec(said)?.[0];
    if (kept !== undefined && files.length === 0) named = [kept];
    return {
      toolCalls: [
        {
          tool: "delegate_to_agent",
          input: { agent: "worker", task: "work", context_mode: "selective", context_files: [...named] },
        },
      ],
    };
  };
  const retinue = await createRetinue({
    workspace,
    env: { RETINUE_HOME: project.home },
    settings: { ...DEFAULT_SETTINGS, approve: "all", allowUnsandboxed: true },
    store: createMemoryLog(),
    agents: [define("lead"), define("worker")],
    tools: [TELL_MUCH],
    model: createScriptedModel(script),
  });
  cleanups.push(project.remove, retinue.close);
  const run = await retinue.run("go", { agent: "lead" });
  await run.result;
  const events = await retinue.events(run.sessionId);
  const settled = events.find(
    (event): event is Extract<RecordedEvent, { type: "tool.settled" }> =>
      event.type === "tool.settled" && event.tool === "delegate_to_agent",
  );
  return { asked: asked.join("\n"), error: settled?.error?.code, whole: JSON.stringify(events) };
};

describe.skipIf(process.platform === "win32")("N17: context_files", () => {
  test("N17: a regular file of the workspace is given with its text", async () => {
    const { asked } = await delegateWith({ files: ["plain.txt"] });
    expect(asked).toContain("plain words");
  });

  test("N17: a link that is named like an artifact leads nowhere", async () => {
    const { whole, error } = await delegateWith({
      files: ["artifact:art_k"],
      lay: ({ workspace, secret }) => symlinkSync(secret, path.join(workspace, "artifact:art_k")),
    });
    expect(whole).not.toContain(CANARY);
    expect(error).toBeDefined();
  });

  test("N17: a hard link to a file elsewhere is not given", async () => {
    const { whole, error } = await delegateWith({
      files: ["notes.txt"],
      lay: ({ workspace, secret }) => linkSync(secret, path.join(workspace, "notes.txt")),
    });
    expect(whole).not.toContain(CANARY);
    expect(error).toBe("tool_failed");
  });

  test("N17: FIFOs and devices are refused, and nothing waits for them", async () => {
    const names = ["a", "b", "c", "d"];
    const { error } = await delegateWith({
      files: names,
      lay: ({ workspace }) => {
        for (const name of names) execFileSync("mkfifo", [path.join(workspace, name)]);
      },
    });
    expect(error).toBe("tool_failed");
  });

  test("N17: a sparse file of 400 MB is cut at a bound", async () => {
    const { asked } = await delegateWith({
      files: ["large.txt"],
      lay: ({ workspace }) => {
        const file = path.join(workspace, "large.txt");
        writeFileSync(file, "the first line\n".repeat(20_000));
        truncateSync(file, 400_000_000);
      },
    });
    expect(asked).toContain("the first line");
    expect(asked).toMatch(/cut at 16000/);
    expect(asked.length).toBeLessThan(100_000);
  });

  test("N17: an artifact of the session is given from the record, whatever lies in the workspace under its name", async () => {
    const { asked, whole } = await delegateWith({
      files: [],
      before: () => ({ toolCalls: [{ tool: "tell_much", input: {} }] }),
    });
    expect(whole).toContain("artifact:art_");
    expect(asked).toContain("a kept line");
  });

  test("N17: a file that another process swaps for links is never given where they lead", { tags: ["long"] }, async () => {
    const given: string[] = [];
    for (let round = 0; round < 30; round += 1) {
      let race: FlipRace | undefined;
      const trial = delegateWith({
        files: Array.from({ length: 4 }, () => ["flip.txt", "flip/config.json"]).flat(),
        lay: async ({ workspace }) => void (race = await startFlipRace(workspace)),
      });
      const { asked, whole } = await trial;
      await race?.stop();
      expect(whole + asked).not.toContain(FLIPPED);
      given.push(asked);
    }
    // The race lets some of them through, or nothing would be shown.
    expect(given.join("")).toContain("a plain word");
  });
});
