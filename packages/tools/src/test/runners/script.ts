/** What is left when no runner is known: the project's own script, of which only the exit code and a printed summary say something. */
import { RetinueError } from "@retinue/protocol";
import type { Project } from "../project.ts";
import type { TestCommand, TestRunner } from "../test-runner.ts";

const TARGET = /^test\s*:(?!=)/m;

type Shown = TestCommand & { readonly shown: string };

const command = (file: string, ...args: readonly string[]): Shown => ({ file, args, shown: [file, ...args].join(" ") });

/** In the order in which they are looked for. */
const findCommand = (project: Project): Shown | undefined => {
  const { names, read, testScript, hasWorkspaces } = project;
  if (testScript !== undefined) return { ...command("npm", "test"), shown: testScript };
  if (hasWorkspaces) return command("npm", "test", "--workspaces", "--if-present");
  if (TARGET.test(read("Makefile"))) return command("make", "test");
  if (["justfile", "Justfile", ".justfile"].some((name) => /^test(?:\s[^\n:]*)?:(?!=)/m.test(read(name))))
    return command("just", "test");
  if (names.has("deno.json") || names.has("deno.jsonc")) return command("deno", "test");
  if (names.has("bun.lock") || names.has("bun.lockb") || names.has("bunfig.toml")) return command("bun", "test");
  return undefined;
};

export const script: TestRunner = {
  name: "the project's test script",
  isUsedBy: (project) => findCommand(project) !== undefined,
  toCommand: async ({ project, path, filter }) => {
    const found = findCommand(project);
    if (!found) throw new RetinueError("tool_failed", "The project has no test script.");
    if (path !== undefined || filter !== undefined)
      throw new RetinueError(
        "tool_failed",
        `The tests here are run by "${found.shown}", of which we do not know how to run a part.`,
        { hint: "Run all of them, or the part by a shell command." },
      );
    return { file: found.file, args: found.args };
  },
  toReport: () => undefined,
};
