import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { toCommandsReference } from "./commands-reference.ts";
import { listCommands } from "./list-commands.ts";
import { buildProgram } from "./program.ts";
import { exampleOf } from "./register/examples.ts";
import { SHELLS, toCompletionScript } from "./shell-completion.ts";
import { createSurroundings } from "./surroundings.ts";

const program = buildProgram(
  createSurroundings(),
  async () => undefined,
  () => undefined,
);
const commands = listCommands(program);

test("docs/commands.md is what the commands say; npm run commands-doc writes it", async () => {
  expect(await readFile(new URL("../../../../docs/commands.md", import.meta.url), "utf8")).toBe(toCommandsReference(program));
});

test.each(commands.filter(({ path }) => path !== "").map(({ path }) => path))("the help of %s shows an example", (path) => {
  expect(exampleOf(path)).toMatch(/retinue/);
});

test.each(SHELLS)("the script for %s names every command", (shell) => {
  const script = toCompletionScript(shell, commands);
  for (const { path } of commands) expect(script).toContain(path.split(" ").at(-1));
});

describe("in a real bash", () => {
  let script = "";
  beforeAll(() => {
    script = toCompletionScript("bash", commands);
  });
  const complete = (...words: readonly string[]): readonly string[] => {
    const typed = words.map((word) => `'${word}'`).join(" ");
    const ask = `${script}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _retinue; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", ask], { encoding: "utf8" }).trim().split("\n");
  };

  test("commands, those below them, and options are completed", () => {
    expect(complete("retinue", "sess")).toEqual(["sessions"]);
    expect(complete("retinue", "sessions", "fo")).toEqual(["fork"]);
    expect(complete("retinue", "run", "--app")).toEqual(["--approve"]);
    expect(complete("retinue", "-C", "sessions", "ver")).toEqual(["verify"]);
  });
});
