/** What is left when no runner is known: the project's own script, of which only the exit code says something. */
import { RetinueError } from "@retinue/protocol";
import type { TestRunner } from "../test-runner.ts";

export const script: TestRunner = {
  name: "the project's test script",
  isUsedBy: (project) => project.testScript !== undefined || /^test\s*:(?!=)/m.test(project.read("Makefile")),
  toCommand: async ({ project, path, filter }) => {
    const command = project.testScript === undefined ? { file: "make", args: ["test"] } : { file: "npm", args: ["test"] };
    if (path !== undefined || filter !== undefined)
      throw new RetinueError(
        "tool_failed",
        `The tests here are run by "${project.testScript ?? "make test"}", of which we do not know how to run a part.`,
        { hint: "Run all of them, or the part by a shell command." },
      );
    return command;
  },
  toReport: () => undefined,
};
