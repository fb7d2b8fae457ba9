import { appendFile, chmod, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { toText } from "@retinue/confine/testing";
import { createGitCommitTool } from "./git-commit.ts";
import { createGitDiffTool } from "./git-diff.ts";
import { createGitTool } from "./git.ts";
import type { TestRepository } from "@retinue/confine/testing";
import { createTestRepository } from "@retinue/confine/testing";

/** A way in which a repository gets git to run a program of its choice. */
type Trap = {
  readonly what: string;
  readonly set: (test: TestRepository) => Promise<unknown>;
  /** With plain git these spring it, which proves that it is one. */
  readonly springs: readonly (readonly string[])[];
  readonly name: string;
};

const attribute = (test: TestRepository, line: string): Promise<void> => appendFile(test.at(".gitattributes"), `${line}\n`);

const hook = async (test: TestRepository, name: string): Promise<void> => {
  const file = await test.trap(name, "exit 0");
  await mkdir(test.at(".git/hooks"), { recursive: true });
  await writeFile(test.at(`.git/hooks/${name}`), `#!/bin/sh\nexec "${file}"\n`);
  await chmod(test.at(`.git/hooks/${name}`), 0o755);
};

const config = async (test: TestRepository, key: string, name: string, then?: string): Promise<string> =>
  test.git("config", key, await test.trap(name, then));

const touched = ["add", "a.txt"] as const;
const commit = ["commit", "--quiet", "--message=plain", "a.txt"] as const;

const TRAPS: readonly Trap[] = [
  ...["pre-commit", "commit-msg", "post-commit", "post-index-change", "reference-transaction"].map((name) => ({
    what: `hook ${name}`,
    set: (test: TestRepository) => hook(test, name),
    springs: [commit],
    name,
  })),
  {
    what: "core.hooksPath",
    set: async (test) => {
      await mkdir(test.at("evil"));
      const file = await test.trap("hooks-path", "exit 0");
      await writeFile(test.at("evil/pre-commit"), `#!/bin/sh\nexec "${file}"\n`);
      await chmod(test.at("evil/pre-commit"), 0o755);
      await test.git("config", "core.hooksPath", "evil");
    },
    springs: [commit],
    name: "hooks-path",
  },
  {
    what: "core.fsmonitor",
    set: (test) => config(test, "core.fsmonitor", "fsmonitor"),
    springs: [["status"]],
    name: "fsmonitor",
  },
  {
    what: "a clean filter",
    set: async (test) => {
      await config(test, "filter.evil.clean", "clean");
      await attribute(test, "*.txt filter=evil");
    },
    springs: [["status"], touched],
    name: "clean",
  },
  {
    what: "a required filter process",
    set: async (test) => {
      await config(test, "filter.evil.process", "process", "exit 1");
      await test.git("config", "filter.evil.required", "true");
      await attribute(test, "*.txt filter=evil");
    },
    springs: [["status"]],
    name: "process",
  },
  {
    what: "a filter with an equals sign in its name",
    set: async (test) => {
      const file = await test.trap("equals");
      await appendFile(test.at(".git/config"), `[filter "a=b"]\n\tclean = ${file}\n`);
      await attribute(test, "*.txt filter=a=b");
    },
    springs: [["status"], touched],
    name: "equals",
  },
  {
    what: "a filter of an included configuration",
    set: async (test) => {
      const file = await test.trap("included");
      await writeFile(test.at("more"), `[filter "Other.One"]\n\tclean = ${file}\n`);
      await test.git("config", "include.path", "../more");
      await attribute(test, "*.txt filter=Other.One");
    },
    springs: [["status"], touched],
    name: "included",
  },
  {
    what: "a filter of the work tree's configuration",
    set: async (test) => {
      await test.git("config", "extensions.worktreeConfig", "true");
      await test.git("config", "--worktree", "filter.evil.clean", await test.trap("worktree"));
      await attribute(test, "*.txt filter=evil");
    },
    springs: [["status"], touched],
    name: "worktree",
  },
  {
    what: "textconv",
    set: async (test) => {
      await config(test, "diff.evil.textconv", "textconv", 'cat "$1"');
      await attribute(test, "*.txt diff=evil");
    },
    springs: [["diff"], ["log", "-p"], ["blame", "a.txt"], ["show"]],
    name: "textconv",
  },
  {
    what: "a diff driver",
    set: async (test) => {
      await config(test, "diff.evil.command", "driver");
      await attribute(test, "*.txt diff=evil");
    },
    springs: [["diff"]],
    name: "driver",
  },
  { what: "diff.external", set: (test) => config(test, "diff.external", "external"), springs: [["diff"]], name: "external" },
  {
    what: "a merge driver in a log that merges again",
    set: async (test) => {
      await config(test, "merge.evil.driver", "merge", "exit 0");
      await test.git("config", "log.diffMerges", "remerge");
      await attribute(test, "*.txt merge=evil");
      await test.git("checkout", "--quiet", "-b", "side");
      await writeFile(test.at("a.txt"), "side\n");
      await test.git("commit", "--quiet", "--message=side", "a.txt");
      await test.git("checkout", "--quiet", "main");
      await writeFile(test.at("a.txt"), "main\n");
      await test.git("commit", "--quiet", "--message=main", "a.txt");
      await test.git("merge", "--quiet", "--strategy=ours", "--message=merge", "side");
      await writeFile(test.at("a.txt"), "changed again\n");
      await test.sprung();
    },
    springs: [["log", "-p", "-m"]],
    name: "merge",
  },
  {
    what: "a program that checks signatures",
    set: async (test) => {
      await config(test, "gpg.program", "gpg", "exit 1");
      await test.git("config", "log.showSignature", "true");
      await signedCommit(test);
    },
    springs: [["log"], ["log", "--format=%G?"]],
    name: "gpg",
  },
  {
    what: "a program that signs",
    set: async (test) => {
      await config(test, "gpg.ssh.program", "signer", "exit 1");
      await test.git("config", "gpg.format", "ssh");
      await test.git("config", "user.signingKey", "key");
      await test.git("config", "commit.gpgSign", "true");
    },
    springs: [commit],
    name: "signer",
  },
  {
    what: "a remote that brings missing objects",
    set: async (test) => {
      const file = await test.trap("promisor", "exit 1");
      await test.git("config", "extensions.partialClone", "evil");
      await test.git("config", "remote.evil.promisor", "true");
      await test.git("config", "remote.evil.url", test.workspace);
      await test.git("config", "remote.evil.uploadpack", file);
      await test.git("config", "protocol.allow", "always");
      const missing = (await test.git("rev-parse", "HEAD:b.txt")).trim();
      const folder = test.at(`.git/objects/${missing.slice(0, 2)}`);
      await rm(path.join(folder, missing.slice(2)));
    },
    springs: [["show", "HEAD:b.txt"]],
    name: "promisor",
  },
  {
    what: "a filter of a submodule",
    set: async (test) => {
      const inner = await createTestRepository({ "inner.txt": "inner\n" });
      await test.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.workspace, "sub");
      await inner[Symbol.asyncDispose]();
      await test.git("commit", "--quiet", "--message=sub", "sub", ".gitmodules");
      await test.git("-C", "sub", "config", "filter.evil.clean", await test.trap("submodule"));
      await writeFile(test.at("sub/.gitattributes"), "*.txt filter=evil\n");
      await writeFile(test.at("sub/inner.txt"), "other\n");
    },
    springs: [["status"], ["diff"]],
    name: "submodule",
  },
];

/** A commit that says it is signed, so that git has something to check. */
const signedCommit = async (test: TestRepository): Promise<void> => {
  const raw = await test.git("cat-file", "commit", "HEAD");
  const signed = raw.replace("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n");
  await writeFile(test.at(".git/signed"), signed);
  const hash = (await test.git("hash-object", "-t", "commit", "-w", ".git/signed")).trim();
  await test.git("update-ref", "refs/heads/main", hash);
};

const plain = (test: TestRepository, args: readonly string[]): Promise<unknown> => test.git(...args).catch(() => undefined);

/** A repository with a change in it, and the trap set. */
const withTrap = async (trap: Trap): Promise<TestRepository> => {
  const test = await createTestRepository({ "a.txt": "one\ntwo\n", "b.txt": "b\n" });
  // Of the same length, so that git has to compare the contents.
  await writeFile(test.at("a.txt"), "one\n222\n");
  await trap.set(test);
  await test.sprung();
  return test;
};

/** What springs the trap with plain git, and what the tools do besides; the first two answers are those of status and diff. */
const useTools = async (test: TestRepository, trap: Trap): Promise<readonly string[]> => {
  const { context } = test;
  // In a sandbox these programs would not even be found; here they are kept from running by nothing but git's own settings.
  const options = {
    environment: test.environment,
    sandbox: { backend: "none", reason: "a test", isInstalled: false },
    allowUnsandboxed: true,
  } as const;
  const git = createGitTool(options);
  const diff = createGitDiffTool(options);
  const answers: string[] = [];
  const keep = async (answer: Promise<Parameters<typeof toText>[0]>): Promise<void> => {
    answers.push(await answer.then(toText, (thrown: Error) => `failed: ${thrown.message}`));
  };
  const springs = trap.springs.filter(([command]) => command !== "add" && command !== "commit");
  for (const args of [["status"], ["diff"], ...springs]) await keep(git.execute({ args: [...args] }, context));
  for (const input of [{ from: "HEAD" }, { staged: true }]) await keep(diff.execute(input, context));
  await keep(createGitCommitTool(options).execute({ message: "ours", paths: ["a.txt"] }, context));
  return answers;
};

/** One of each kind: a hook, a setting, an attribute, what shows a file. The others are long tests. */
const SHORT: ReadonlySet<string> = new Set(["pre-commit", "fsmonitor", "clean", "textconv"]);

describe("B13: no program that a repository names runs in our git calls", () => {
  const expectNotSprung = async (trap: Trap): Promise<void> => {
    for (const args of trap.springs) {
      await using control = await withTrap(trap);
      await plain(control, args);
      expect(await control.sprung(), `git ${args.join(" ")} springs it`).toContain(trap.name);
    }
    await using test = await withTrap(trap);
    const answers = await useTools(test, trap);
    expect(await test.sprung()).toEqual([]);
    // The tools really did look.
    expect(answers[0]).toContain("a.txt");
    expect(answers[1]).toContain(trap.name === "merge" ? "+changed again" : "+222");
  };

  it.each(TRAPS.filter(({ name }) => SHORT.has(name)))("$what", expectNotSprung);
  it.each(TRAPS.filter(({ name }) => !SHORT.has(name)))("$what", { tags: ["long"] }, expectNotSprung);
});

describe("our git calls", () => {
  it("B12: take git from PATH, never from the workspace", async () => {
    await using test = await createTestRepository({ "a.txt": "a" });
    const file = await test.trap("fake", "echo git version 9.9.9");
    await writeFile(test.at("git"), `#!/bin/sh\nexec "${file}"\n`);
    await chmod(test.at("git"), 0o755);
    const folders = [".", "", test.workspace, `${test.workspace}/../workspace`, test.environment["PATH"]];
    const environment = { ...test.environment, PATH: folders.join(":") };
    expect(toText(await createGitTool({ environment }).execute({ args: ["status", "-s"] }, test.context))).toBe("?? git");
    expect(await test.sprung()).toEqual([]);
  });

  it("B12: take nothing that begins with GIT_ from the environment", async () => {
    await using test = await createTestRepository({ "a.txt": "a\n" });
    await writeFile(test.at("a.txt"), "b\n");
    const file = await test.trap("variable");
    const environment = {
      ...test.environment,
      GIT_EXTERNAL_DIFF: file,
      GIT_DIR: "/nowhere",
      GIT_SSH_COMMAND: file,
      GIT_CONFIG_PARAMETERS: `'diff.external=${file}'`,
      GIT_TRACE: "1",
    };
    expect(toText(await createGitTool({ environment }).execute({ args: ["diff"] }, test.context))).toContain("+b");
    expect(await test.sprung()).toEqual([]);
  });

  it("leave the index as it is when they only look", async () => {
    await using test = await createTestRepository({ "a.txt": "a\n" });
    await writeFile(test.at("a.txt"), "b\n");
    const git = createGitTool({ environment: test.environment });
    const before = await readdir(test.at(".git"));
    await git.execute({ args: ["status"] }, test.context);
    await git.execute({ args: ["diff"] }, test.context);
    expect(await readdir(test.at(".git"))).toEqual(before);
  });
});
