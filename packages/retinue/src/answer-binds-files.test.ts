import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ScriptedTurn } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import type { ModelRequest } from "@retinue/model/contract";
import type { ProposedAct } from "@retinue/protocol";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { afterEach, describe, expect, test } from "vitest";
import { createRetinue } from "./create-retinue.ts";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const FILES = {
  "build.sh": "echo built > out.txt\n",
  "task.mjs": 'import { writeFileSync } from "node:fs";\nimport { word } from "./word.mjs";\nwriteFileSync("out.txt", word);\n',
  "word.mjs": 'export const word = "built\\n";\n',
  "notes.md": "Notes.\n",
};

/** Has a command asked about, changes a file while the human thinks, and lets the human say yes to every question. */
const runChanged = async (command: string, changed: string, content: string) => {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-answer-")));
  folders.push(base);
  const [workspace, home] = [path.join(base, "workspace"), path.join(base, "home")];
  await mkdir(workspace);
  await mkdir(home);
  for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(workspace, name), text);
  const asked: ProposedAct[] = [];
  const script = (_: ModelRequest, answered: number): ScriptedTurn =>
    answered === 0 ? { toolCalls: [{ tool: "shell", input: { command }, callId: "c" }] } : { text: "Done." };
  const retinue = await createRetinue({
    workspace,
    env: { PATH: process.env["PATH"], HOME: home, RETINUE_HOME: path.join(home, ".retinue"), RETINUE_APPROVE: "ask" },
    agents: [
      {
        ...agentFrontMatterSchema.parse({ name: "worker", description: "Works.", tools: ["shell"], grant: "session" }),
        prompt: "You work.",
      },
    ],
    model: createScriptedModel(script),
    approver: async ({ act }) => {
      asked.push(act);
      if (asked.length === 1) await writeFile(path.join(workspace, changed), content);
      return { allowed: true };
    },
  });
  try {
    const run = await retinue.run("go", { agent: "worker" });
    await run.result;
    const out = await readFile(path.join(workspace, "out.txt"), "utf8").catch(() => undefined);
    return { asked: asked.map((act) => act.changed), out };
  } finally {
    await retinue.close();
  }
};

describe("N15 a human's yes to a command", () => {
  test("holds though a file changed that its script does not run", async () => {
    expect(await runChanged("sh build.sh", "notes.md", "Other notes.\n")).toEqual({ asked: [undefined], out: "built\n" });
  });

  test("L16 is asked for again where its script changed, and the script that was named runs", async () => {
    expect(await runChanged("sh build.sh", "build.sh", "echo other > out.txt\n")).toEqual({
      asked: [undefined, ["build.sh"]],
      out: "other\n",
    });
  });

  test("L16 is asked for again where a file changed that it may import", async () => {
    const command = `${JSON.stringify(process.execPath)} task.mjs`;
    expect(await runChanged(command, "word.mjs", 'export const word = "other\\n";\n')).toEqual({
      asked: [undefined, ["word.mjs"]],
      out: "other\n",
    });
  });
});
