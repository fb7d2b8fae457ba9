import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { afterEach, expect, test } from "vitest";
import { createProject } from "../../cli/testing/spawn-retinue.ts";
import { DEFAULT_SETTINGS } from "../../settings/settings.ts";
import { byAgent, call, ENTER, playTui, type Played, type PlayOptions } from "../testing/play-tui.ts";

const open: Played[] = [];
const play = async (options: PlayOptions): Promise<Played> => {
  const played = await playTui({ settings: { ...DEFAULT_SETTINGS, approve: "workspace" }, ...options });
  open.push(played);
  return played;
};
afterEach(async () => {
  for (const played of open.splice(0)) await played.close();
});

const changing = () =>
  byAgent({
    main: [
      { toolCalls: [call("w", "write", { path: "src/new/made.ts", content: "made\n" })] },
      { toolCalls: [call("d", "delegate_to_agent", { agent: "executor", task: "edit it" })] },
      { text: "Changed." },
      { text: "I know." },
    ],
    executor: [
      { toolCalls: [call("e", "edit", { path: "cart.ts", edits: [{ old: "one", new: "two" }] })] },
      { toolCalls: [call("f", "edit", { path: "cart.ts", edits: [{ old: "two", new: "three" }] })] },
      { text: "## Summary\nedited" },
    ],
  });

const changed = async (): Promise<{ readonly played: Played; readonly at: (file: string) => string }> => {
  const project = await createProject();
  const at = (file: string): string => join(project.workspace, file);
  await writeFile(at("cart.ts"), "\u{feff}one\r\nrest\r\n");
  const played = await play({ project, script: changing() });
  await played.press("change it", ENTER);
  await played.until("completed in");
  expect(await readFile(at("cart.ts"), "utf8")).toContain("three");
  return { played, at };
};

test("/undo shows the changes of the latest turn and of the agents below it, asks, takes them back byte for byte, and the agent is told", async () => {
  const { played, at } = await changed();
  await played.press("/undo", ENTER);
  await played.until("Ctrl-G opens");
  expect(played.all()).toMatch(/-three[\s\S]*\+one/);
  expect(played.all()).toContain("-made");
  expect(await readFile(at("cart.ts"), "utf8")).toContain("three");
  await played.advance(1500);
  await played.until("retinue asks you");
  await played.advance(300);
  await played.press("1");
  await played.until("2 files as before");
  expect(await readFile(at("cart.ts"), "utf8")).toBe("\u{feff}one\r\nrest\r\n");
  // The folder that was made for it is gone, too.
  await expect(stat(at("src"))).rejects.toThrow("ENOENT");
  await played.press("go on", ENTER);
  await played.until("I know.");
  const events = await played.retinue.events(played.tui.conversation.main()?.sessionId ?? "ses_");
  expect(JSON.stringify(events.filter(({ type }) => type === "run.requested").at(-1))).toContain(
    "taken earlier file changes back",
  );
});

test("/undo leaves a file that somebody changed since, and a second one finds nothing more to take back", async () => {
  const { played, at } = await changed();
  await writeFile(at("cart.ts"), "mine\n");
  await played.press("/undo", ENTER);
  await played.until("left cart.ts: it was changed since");
  await played.until("Ctrl-G opens");
  await played.advance(1500);
  await played.until("retinue asks you");
  await played.advance(300);
  await played.press("1");
  await played.until("1 file as before: src/new/made.ts");
  expect(await readFile(at("cart.ts"), "utf8")).toBe("mine\n");
  await played.press("/undo", ENTER);
  await played.until("None of these changes can be taken back");
  expect(await readFile(at("cart.ts"), "utf8")).toBe("mine\n");
});

test("a no to /undo changes nothing, and a file that is changed while the question stands is left", async () => {
  const { played, at } = await changed();
  const ask = async (answer: string): Promise<void> => {
    await played.press("/undo", ENTER);
    await played.until((screen) => screen.includes("Ctrl-G opens"));
    await played.advance(1500);
    await played.until((screen) => screen.includes("retinue asks you"));
    await played.advance(300);
    if (answer === "1") await writeFile(at("cart.ts"), "meanwhile\n");
    await played.press(answer);
  };
  await ask("2");
  await played.until("Nothing was changed.");
  expect(await readFile(at("src/new/made.ts"), "utf8")).toBe("made\n");
  await ask("1");
  await played.until("1 file as before: src/new/made.ts");
  expect(played.all()).toContain("left cart.ts");
  expect(await readFile(at("cart.ts"), "utf8")).toBe("meanwhile\n");
});

test("what was merged from a worktree is taken back: changed, made and deleted files stand as before, also those that were not committed", async () => {
  const project = await createProject();
  const at = (file: string): string => join(project.workspace, file);
  const git = (...args: string[]) =>
    promisify(execFile)("git", args, { cwd: project.workspace, env: { PATH: process.env["PATH"], HOME: project.home } });
  await git("init", "--quiet");
  await writeFile(at("cart.ts"), "one\n");
  await writeFile(at("old.ts"), "old\n", { mode: 0o755 });
  await git("add", "--all");
  await git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "--message=first");
  await writeFile(at("cart.ts"), "one\nnot committed\n");
  const writer = {
    ...agentFrontMatterSchema.parse({ name: "writer", description: "Writes.", isolation: "worktree" }),
    prompt: "You write.",
  };
  const played = await play({
    project,
    agents: [writer],
    settings: { ...DEFAULT_SETTINGS, approve: "all", allowUnsandboxed: true },
    script: ({ system, messages }) => {
      const answers = messages.filter(({ role }) => role === "assistant").length;
      const turns = system.startsWith("You write.")
        ? [
            { toolCalls: [call("e", "edit", { path: "cart.ts", edits: [{ old: "one", new: "two" }] })] },
            { toolCalls: [call("w", "write", { path: "src/made.ts", content: "made\n" })] },
            { toolCalls: [call("s", "shell", { command: "rm old.ts" })] },
            { text: "Written." },
          ]
        : [{ toolCalls: [call("d", "delegate_to_agent", { agent: "writer", task: "write it" })] }, { text: "It is merged." }];
      return turns[answers];
    },
  });
  await played.press("change it", ENTER);
  await played.until("completed in");
  expect(await readFile(at("cart.ts"), "utf8")).toBe("two\nnot committed\n");
  await expect(stat(at("old.ts"))).rejects.toThrow("ENOENT");
  await played.press("/undo", ENTER);
  await played.until("Ctrl-G opens");
  await played.advance(1500);
  await played.until("retinue asks you");
  await played.advance(300);
  await played.press("1");
  await played.until("3 files as before");
  expect(await readFile(at("cart.ts"), "utf8")).toBe("one\nnot committed\n");
  expect(await readFile(at("old.ts"), "utf8")).toBe("old\n");
  expect((await stat(at("old.ts"))).mode & 0o111).not.toBe(0);
  await expect(stat(at("src"))).rejects.toThrow("ENOENT");
});

test("what a command changed is named, and left", async () => {
  const project = await createProject();
  await mkdir(join(project.workspace, "src"));
  const played = await play({
    project,
    settings: { ...DEFAULT_SETTINGS, approve: "all", allowUnsandboxed: true },
    script: [{ toolCalls: [call("s", "shell", { command: "echo made > src/by-command.txt" })] }, { text: "Done." }],
  });
  await played.press("go", ENTER);
  await played.until("completed in");
  await played.press("/undo", ENTER);
  await played.until("left src/by-command.txt: a command changed it");
  expect(await readFile(join(project.workspace, "src/by-command.txt"), "utf8")).toBe("made\n");
});
