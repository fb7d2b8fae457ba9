import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ScriptedTurn } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import type { ModelRequest } from "@retinue/model/contract";
import type { Json, ProposedAct } from "@retinue/protocol";
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
  "package.json": '{ "scripts": { "test": "sh build.sh" } }\n',
};

/** Has a command asked about, changes a file while the human thinks, and lets the human say yes to every question. */
const runChanged = async (command: string, changed: string, content: string) =>
  callChanged({ tool: "shell", input: { command } }, changed, content);

const callChanged = async (call: { readonly tool: string; readonly input: Json }, changed: string, content: string) => {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-answer-")));
  folders.push(base);
  const [workspace, home] = [path.join(base, "workspace"), path.join(base, "home")];
  await mkdir(workspace);
  await mkdir(home);
  for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(workspace, name), text);
  const asked: ProposedAct[] = [];
  const script = (_: ModelRequest, answered: number): ScriptedTurn =>
    answered === 0 ? { toolCalls: [{ ...call, callId: "c" }] } : { text: "Done." };
  const retinue = await createRetinue({
    workspace,
    env: { PATH: process.env["PATH"], HOME: home, RETINUE_HOME: path.join(home, ".retinue"), RETINUE_APPROVE: "ask" },
    agents: [
      {
        ...agentFrontMatterSchema.parse({ name: "worker", description: "Works.", tools: ["shell", "test"], grant: "session" }),
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

describe("N15 a human's yes to run the tests", () => {
  const tests = { tool: "test", input: {} };

  test("L16 is asked for again where the script changed that the manifest names", async () => {
    const other = '{ "scripts": { "test": "echo other > out.txt" } }\n';
    expect(await callChanged(tests, "package.json", other)).toEqual({ asked: [undefined, ["package.json"]], out: "other\n" });
  });

  test("L16 is asked for again where a manifest came that decides how they are run", async () => {
    const { asked } = await callChanged(tests, "Makefile", "test:\n\techo other > out.txt\n");
    expect(asked).toEqual([undefined, ["Makefile"]]);
  });

  test("holds though another file changed", async () => {
    expect(await callChanged(tests, "notes.md", "Other notes.\n")).toEqual({ asked: [undefined], out: "built\n" });
  });
});

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
