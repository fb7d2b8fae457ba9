/** A real repository in a temporary workspace, with a user of its own and a canary that no program of the repository may touch. */
import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { TestWorkspace } from "./tool-context.ts";
import { createTestWorkspace } from "./tool-context.ts";

export type TestRepository = TestWorkspace & {
  /** For the tools: PATH, and a home with the user's configuration. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Plain git as a user runs it, hooks and filters included. */
  readonly git: (...args: string[]) => Promise<string>;
  /** Makes a program that leaves a mark and then does as `then` says, and gives its path. */
  readonly trap: (name: string, then?: string) => Promise<string>;
  /** The names of the traps that were sprung since the last time. */
  readonly sprung: () => Promise<readonly string[]>;
};

const run = promisify(execFile);

export const createTestRepository = async (files: Readonly<Record<string, string | Buffer>> = {}): Promise<TestRepository> => {
  const test = await createTestWorkspace(files);
  const base = path.dirname(test.workspace);
  const home = path.join(base, "home");
  const marks = path.join(base, "marks");
  const traps = path.join(base, "traps");
  for (const folder of [home, marks, traps]) await mkdir(folder);
  await writeFile(path.join(home, ".gitconfig"), "[user]\n\tname = Test User\n\temail = test@example.com\n");
  const environment = { PATH: process.env["PATH"], HOME: home, XDG_CONFIG_HOME: path.join(home, "xdg") };
  const git = async (...args: string[]): Promise<string> => {
    const running = run("git", args, { cwd: test.workspace, env: environment });
    running.child.stdin?.end();
    return (await running).stdout;
  };
  await git("init", "--quiet", "--initial-branch=main");
  if (Object.keys(files).length > 0) {
    await git("add", "--all");
    await git("commit", "--quiet", "--message=first");
  }

  return {
    ...test,
    environment,
    home,
    git,
    trap: async (name, then = "cat") => {
      const file = path.join(traps, name);
      await writeFile(file, `#!/bin/sh\n: > "${marks}/${name}.$$"\n${then}\n`);
      await chmod(file, 0o755);
      return file;
    },
    sprung: async () => {
      const names = await readdir(marks);
      for (const name of names) await rm(path.join(marks, name));
      return [...new Set(names.map((name) => name.replace(/\.\d+$/, "")))].toSorted();
    },
  };
};
