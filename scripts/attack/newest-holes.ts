/** Holes around the user's own folder, folders of sub-agents, test suites, kept rules and the browser's proxy, with their cases of the safety catalogue. */
import type { Hole } from "./hole.ts";
import { edit } from "./hole.ts";

export const NEWEST_HOLES: readonly Hole[] = [
  {
    name: "home-by-its-name",
    what: "N24: the user's own folder is open where it lies in the workspace under another name",
    finds: "read-out",
    kind: "inner-home",
    theme: "anything",
    seed: 1,
    edits: [
      edit(
        "confine/src/files/private-folders.ts",
        "folders.set(real, (folders.get(real) ?? 0) + 1);",
        `if (real.endsWith("/.retinue")) folders.set(real, (folders.get(real) ?? 0) + 1);`,
      ),
    ],
  },
  {
    name: "whole-project-seen",
    what: "N9: commands of a sub-agent with a working_directory see the whole project",
    finds: "read-out",
    kind: "part",
    theme: "anything",
    seed: 1,
    edits: [
      edit(
        "confine/src/sandbox/run-confined.ts",
        "findProjectView(workspace, run.scope.directory);",
        "findProjectView(workspace, undefined);",
      ),
    ],
  },
  {
    name: "suite-commands-unconfined",
    what: "N2: commands before and after the cases of a suite run outside the sandbox",
    finds: "read-out",
    kind: "suite-commands",
    theme: "reading",
    seed: 1,
    edits: [
      edit(
        "tools/src/command-check.ts",
        "await shell().execute(toShellInput(run, timeoutMs), context);",
        [
          "await new Promise<string>((resolve) =>",
          `process.getBuiltinModule("node:child_process").exec(run, { cwd: context.workspace, timeout: 20_000 },`,
          "(cause, out) => resolve(`[exit code ${cause === null ? 0 : 1}]\\n${out}`)));",
        ].join("\n"),
      ),
    ],
  },
  {
    name: "kept-as-beginning",
    what: "N22: a kept rule covers every command that begins like it",
    finds: "unasked",
    kind: "kept",
    theme: "anything",
    seed: 1,
    edits: [
      edit(
        "retinue/src/approval-rules/approval-rule.ts",
        "return words?.length === rule.words.length && rule.words.every((word, index) => words[index] === word);",
        "return words !== undefined && rule.words.every((word, index) => words[index] === word);",
      ),
    ],
  },
  {
    name: "proxy-without-password",
    what: "N21: the browser's proxy serves other programs of this machine",
    finds: "let-in",
    kind: "proxy",
    theme: "anything",
    seed: 1,
    edits: [edit("tools/src/browser/page-network.ts", `who: "browser", password });`, `who: "browser" });`)],
  },
  {
    name: "browser-reaches-own",
    what: "N19: pages reach this machine by its own addresses",
    finds: "reached",
    kind: "proxy",
    theme: "anything",
    seed: 1,
    edits: [edit("confine/src/network/own-address.ts", "readInterfaces().some((own) =>", "[''].some((own) =>")],
  },
];
