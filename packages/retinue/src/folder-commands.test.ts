/** Commands that are files, from the command line to what reaches the model's server. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { callRetinue } from "./cli/testing/call-retinue.ts";
import { createMockProject } from "./cli/testing/mock-project.ts";
import { createProject } from "./cli/testing/spawn-retinue.ts";
import { toCommandTask } from "./folder-commands.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";
import { ENTER, playTui } from "./tui/testing/play-tui.ts";

const cleanups: (() => Promise<unknown>)[] = [];
const clean = async (): Promise<void> => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
};
afterEach(clean);
afterAll(clean);

const write = async (workspace: string, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, text] of Object.entries(files)) {
    const file = join(workspace, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
};

const FILES = {
  ".claude/commands/review.md":
    "---\ndescription: Reviews a file\nallowed-tools: Bash(git:*)\n---\nReview @$1 for $2. Changes: !`touch ran.txt`. Not @.env\n",
  ".opencode/command/trace.md": "---\nagent: debugger\n---\nTrace $ARGUMENTS\n",
  ".retinue/commands/build.md": "---\nagent: build\n---\nBuild.\n",
  "src/cart.ts": "export const cart = 'CART-CONTENT';\n",
  ".env": "TOKEN=hidden-token-value-123\n",
};

const openProject = async () => {
  const mock = await createMockProject([{ text: "Done." }]);
  cleanups.push(mock.remove);
  await write(mock.project.workspace, FILES);
  return mock;
};

test("retinue run /name gives the model the task with its files, and orders command lines instead of running them", async () => {
  const { project, server } = await openProject();
  const ended = await callRetinue(project, ["run", "-q", "/review", "src/cart.ts", "bugs"]);
  expect(ended).toMatchObject({ code: 0, stdout: "Done.\n" });
  const body = JSON.stringify(server.requests[0]?.body);
  expect(body).toContain("Review @src/cart.ts for bugs. Changes: [run `touch ran.txt` with the shell tool");
  expect(body).toContain("CART-CONTENT");
  expect(body).toContain("[file .env is not given: ");
  expect(body).not.toContain("hidden-token-value-123");
  await expect(writeFile(join(project.workspace, "ran.txt"), "", { flag: "wx" })).resolves.toBeUndefined();
});

test("the agent that a command names carries it out, and main where there is no such agent", async () => {
  const traced = await openProject();
  const ended = await callRetinue(traced.project, ["run", "--json", "/trace the crash"]);
  expect(ended.code).toBe(0);
  expect(JSON.parse(ended.stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({ type: "run.settled", agent: "debugger" });
  expect(JSON.stringify(traced.server.requests[0]?.body)).toContain("Trace the crash");
  const built = await openProject();
  const other = await callRetinue(built.project, ["run", "-q", "/build"]);
  expect(other).toMatchObject({ code: 0, stdout: "Done.\n" });
  expect(other.stderr).toContain('/build names the agent "build", which there is not; main carries it out.');
});

test("a command that there is not is told with the nearest, and nothing is sent", async () => {
  const { project, server } = await openProject();
  const ended = await callRetinue(project, ["run", "/reviw", "x"]);
  expect(ended).toMatchObject({ code: 2, stdout: "" });
  expect(ended.stderr).toContain("There is no command /reviw; did you mean /review?");
  expect(server.requests).toHaveLength(0);
});

test("a path, a blank before the slash and what is piped in are no commands", async () => {
  for (const [words, input] of [
    [["run", "-q", "/etc/hosts is what?"], undefined],
    [["run", "-q", " /review x"], undefined],
    [["run", "-q", "-"], "/review x"],
  ] as const) {
    const { project, server } = await openProject();
    expect(await callRetinue(project, words, {}, input)).toMatchObject({ code: 0 });
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain("with the shell tool, and take");
  }
});

test("a file outside the workspace is not given, by whatever way it is named", async () => {
  const project = await createProject();
  cleanups.push(project.remove);
  await write(project.home, { "outside.md": "OUTSIDE-CONTENT" });
  const options = { folder: project.workspace, settings: DEFAULT_SETTINGS, env: { RETINUE_HOME: project.home }, isStrict: true };
  await write(project.workspace, { ".claude/commands/show.md": "Show @$1" });
  for (const name of [join(project.home, "outside.md"), "../outside.md", "~/outside.md"]) {
    const { text } = await toCommandTask(`/show ${name}`, options);
    expect(text).toContain("is not given: ");
    expect(text).not.toContain("OUTSIDE-CONTENT");
  }
});

test("the prompt without drawing lists the commands, says the task of one in its session, and has another's agent work beside it", async () => {
  const mock = await createMockProject([{ text: "Hello." }, { text: "Reviewed." }, { text: "Traced." }, { text: "Bye." }]);
  cleanups.push(mock.remove);
  await write(mock.project.workspace, FILES);
  const input = "hi there\n/help\n/review src/cart.ts bugs\n/trace the crash\nbye\n/deploy\n/reviw x\n";
  const ended = await callRetinue(mock.project, ["--plain"], {}, input);
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.stdout).toContain("Reviewed.\n");
  expect(ended.stderr).toMatch(/^ {2}\/review +Reviews a file$/m);
  expect(ended.stderr).toContain("There is no /deploy. /help lists");
  expect(ended.stderr).toContain("There is no /reviw; did you mean /review?");
  const bodies = mock.server.requests.map(({ body }) => JSON.stringify(body));
  expect(bodies[1]).toContain("hi there");
  expect(bodies[1]).toContain("Review @src/cart.ts for bugs.");
  expect(bodies[2]).toContain("Trace the crash");
  expect(bodies[2]).not.toContain("hi there");
  expect(bodies[3]).toContain("Reviewed.");
  expect(bodies[3]).not.toContain("Trace the crash");
});

test("the terminal interface lists a command and says its task, and a built-in name stays what it is", async () => {
  const project = await createProject();
  await write(project.workspace, { ...FILES, ".claude/commands/help.md": "Taken over." });
  const played = await playTui({ script: [{ text: "Reviewed." }], project });
  cleanups.push(() => played.close());
  await played.press("/help", ENTER);
  await played.until("Reviews a file");
  expect(played.all()).not.toContain("Taken over.");
  await played.press("/review src/cart.ts bugs", ENTER);
  await played.until("Reviewed.");
  expect(played.all()).toContain("Review @src/cart.ts for bugs.");
});
