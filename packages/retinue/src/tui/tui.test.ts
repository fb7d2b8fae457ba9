import { writeFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createProject } from "../cli/testing/spawn-retinue.ts";
import { byAgent, call, ENTER, ESC, playTui, type Played, type PlayOptions } from "./testing/play-tui.ts";

const open: Played[] = [];
const play = async (options: PlayOptions): Promise<Played> => {
  const played = await playTui(options);
  open.push(played);
  return played;
};
afterEach(async () => {
  for (const played of open.splice(0)) await played.close();
});

/** A promise, and the way to settle it. */
const gate = (): { readonly closed: Promise<void>; readonly open: () => void } => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { closed: promise, open: resolve };
};

const delegate = (callId: string, agent: string, task: string) => call(callId, "delegate_to_agent", { agent, task });

test("a turn is typed, streams as Markdown, and stands in the scrollback once", async () => {
  const played = await play({ script: [{ text: "# Plan\n\nIt is **done**.\n\n- one\n- two\n", chunkSize: 3 }], price: 0.25 });
  await played.press("add a discount", ENTER);
  await played.until("completed in");
  const seen = played.all();
  expect(seen).toContain(" you  add a discount");
  expect(seen).toMatch(
    / Plan\n\n It is done\.\n\n • one\n • two\n\n completed in \d+:\d\d · 1 turn · 0 calls · 100 in, 10 out · \$0\.25/,
  );
  expect(seen.match(/It is done/g)).toHaveLength(1);
  expect(played.screen()).toContain("$0.25   ready");
});

test("Tab with no agent at work says so instead of doing nothing", async () => {
  const played = await play({ script: [{ text: "Done." }] });
  await played.press("go", ENTER);
  await played.until("completed in");
  await played.press("\t");
  await played.until("No agent works now");
});

test("nested agents are shown live, numbered where names repeat, and stand in the conversation once they have ended", async () => {
  const held = gate();
  const played = await play({
    script: byAgent({
      main: [
        { text: "I ask two.", toolCalls: [delegate("a", "researcher", "find one"), delegate("b", "researcher", "find two")] },
        { text: "Both are found." },
      ],
      researcher: [
        { before: held.closed, text: "## Summary\nfound 3 places" },
        { before: held.closed, text: "## Summary\nfound 3 places" },
      ],
    }),
  });
  await played.press("find them", ENTER);
  // Each begins in its own time; all of it is seen at once when both ask.
  await played.until((screen) =>
    [
      /● main +waits for 2 agents +\d+:\d\d +1\/\d+ \$0\.00/,
      /├ ● researcher #1 +asks the model/,
      /└ ● researcher #2 +asks the model/,
      /main \+ 2/,
    ].every((part) => part.test(screen)),
  );
  held.open();
  await played.until("completed in");
  const seen = played.all();
  expect(seen.indexOf("✓ researcher #1")).toBeLessThan(seen.indexOf("Both are found."));
  expect(seen.match(/researcher #2 {2}done/g)).toHaveLength(1);
});

test("a question from depth 2 tells the path, the diff and what each answer covers, and an answer lets the act happen", async () => {
  const project = await createProject();
  await mkdir(join(project.home, "agents"), { recursive: true });
  await writeFile(
    join(project.home, "agents", "lead.md"),
    "---\nname: lead\ndescription: Leads.\ntools: [read]\ndelegates: [executor]\ngrant: session\n---\nYou lead.\n",
  );
  const played = await play({
    project,
    script: byAgent({
      main: [{ toolCalls: [delegate("a", "lead", "have it changed")] }, { text: "Done." }],
      lead: [{ toolCalls: [delegate("b", "executor", "change it")] }, { text: "## Summary\nhad it changed" }],
      executor: [
        { toolCalls: [call("e", "edit", { path: "src/cart.ts", edits: [{ old: "return sum", new: "return sum * 2" }] })] },
        { text: "## Summary\nchanged" },
      ],
    }),
  });
  await mkdir(join(played.project.workspace, "src"));
  const file = join(played.project.workspace, "src/cart.ts");
  await writeFile(file, "const sum = 1;\nreturn sum\n");
  await played.press("go", ENTER);
  await played.until("wants to edit src/cart.ts");
  await played.advance(1500);
  await played.until("+return sum * 2");
  const card = played.screen();
  expect(card).toContain("executor ‹ lead ‹ main: edit src/cart.ts");
  expect(card).toContain("-return sum");
  expect(card).toMatch(/y once {2}r this run {2}s this session {2}n no, because …[ │]*\n│ p always edit in src/);
  expect(card).toContain("every write with edit");
  expect(card).toContain("! 1");
  await played.advance(300);
  await played.press("y");
  await played.until("completed in");
  expect(await readFile(file, "utf8")).toContain("return sum * 2");
  expect(played.all()).toContain("✓ allowed once: executor edit src/cart.ts");
});

test("in 40 columns what was allowed is told without a cut in a word, and an opened agent tells its limits in words", async () => {
  const held = gate();
  const played = await play({
    columns: 40,
    script: byAgent({
      main: [{ toolCalls: [delegate("a", "executor", "write it")] }, { text: "Done." }],
      executor: [
        { toolCalls: [call("e", "write", { path: "src/cart.ts", content: "1\n" })] },
        { before: held.closed, text: "## Summary\n`cart.ts` is **written**" },
      ],
    }),
  });
  await played.press("go", ENTER);
  await played.until("Ctrl-G opens");
  await played.advance(1500);
  await played.until("y once");
  await played.advance(300);
  await played.press("y");
  await played.until("✓ allowed once");
  expect(played.all()).toMatch(/✓ allowed once: executor write ?\n {4}src\/cart\.ts/);
  await played.press("\t", "\u001B[B", ENTER);
  await played.until((screen) => /tool\s+calls\s+left/.test(screen));
  held.open();
  await played.until("cart.ts is written");
});

/** Each of so many agents wants to write a file. */
const asking = (count: number): PlayOptions => ({
  script: byAgent({
    main: [
      { toolCalls: Array.from({ length: count }, (_, index) => delegate(`d${index}`, "executor", `write file ${index}`)) },
      { text: "Written." },
    ],
    executor: [
      ...Array.from({ length: count }, (_, index) => ({
        toolCalls: [call(`w${index}`, "write", { path: `src/f${index}.ts`, content: "x\n" })],
      })),
      ...Array.from({ length: count }, () => ({ text: "## Summary\nwritten" })),
    ],
  }),
});

test("typing is safe: a question takes no key while the input holds text or somebody typed within the last second", async () => {
  const held = gate();
  const played = await play({
    script: [{ before: held.closed, toolCalls: [call("w", "write", { path: "src/a.ts", content: "x\n" })] }, { text: "End." }],
  });
  await played.press("go", ENTER, "y", "e");
  held.open();
  await played.until("Ctrl-G opens");
  await played.press("s");
  await played.advance(5000);
  expect(played.screen()).toContain("› yes");
  expect(played.screen()).toContain("! main: write src/a.ts");
  expect(played.screen()).not.toContain("y once");
  expect(played.all()).not.toContain("allowed");
});

test("an answer that comes within a quarter of a second after the question came into view is ignored, and so is one right after a click", async () => {
  const played = await play(asking(2));
  await played.press("go", ENTER);
  await played.until("! 2");
  await played.advance(1500);
  await played.until("│ --- a/src/f");
  // Whichever of the two came first.
  const other = played.screen().includes("│ --- a/src/f0.ts") ? "f1.ts" : "f0.ts";
  await played.advance(300);
  await played.press("y");
  // The second question has just taken the place of the first.
  played.type("y");
  await played.until((screen) => screen.includes(`│ --- a/src/${other}`));
  expect(played.all().match(/✓ allowed once/g)).toHaveLength(1);
  await played.advance(300);
  played.type("\u001b[I");
  played.type("y");
  await played.press();
  expect(played.all().match(/✓ allowed once/g)).toHaveLength(1);
  await played.advance(300);
  await played.press("y");
  await played.until("Written.");
});

test("questions queue, oldest first, and a rule just given settles its siblings; kept only where that is wished", async () => {
  const played = await play(asking(3));
  await played.press("go", ENTER);
  await played.until("! 3");
  await played.advance(1500);
  await played.until("1 of 3");
  expect(played.screen()).toMatch(/┌ executor #\d ‹ main: write src\/f\d\.ts ─+ 1 of 3 ┐/);
  expect(played.screen()).toMatch(/└ ↑↓ ] hunk .* scripted\/model ┘/);
  await played.advance(300);
  await played.press("P");
  await played.until("Written.");
  expect(played.all().match(/allowed once, by a rule/g)).toHaveLength(2);
  expect(played.keptRules()).toEqual([{ type: "folder", tool: "write", folder: "src" }]);
});

test("a no carries its reason, and a half-typed reason survives leaving the question", async () => {
  const played = await play(asking(1));
  await played.press("go", ENTER);
  await played.until("! 1");
  await played.advance(1500);
  await played.until("y once");
  await played.advance(300);
  await played.press("n", "not ", "now", ESC);
  await played.advance(1500);
  await played.advance(300);
  await played.press("n");
  expect(played.screen()).toContain("no, because: not now");
  await played.press(ENTER);
  await played.until("⊘ denied executor write src/f0.ts: The user said no: not now");
});

test("a question that nobody can answer any more vanishes with the reason", async () => {
  const played = await play(asking(1));
  await played.press("go", ENTER);
  await played.until("! 1");
  await played.press("\u0003");
  await played.until("cancelled in");
  expect(played.screen()).not.toContain("! 1");
  expect(played.all()).toContain("no longer asked, its run is over: executor write src/f0.ts");
});

test("Esc offers to finish or to stop, says how many it ends below, and one child is stopped from the tree", async () => {
  const held = gate();
  const played = await play({
    script: byAgent({
      main: [
        { toolCalls: [delegate("a", "researcher", "find one"), delegate("b", "researcher", "find two")] },
        { text: "One is enough." },
      ],
      researcher: [
        { before: held.closed, text: "## Summary\nfound" },
        { before: held.closed, text: "## Summary\nfound" },
      ],
    }),
  });
  await played.press("find", ENTER);
  await played.until("researcher #2");
  await played.press(ESC);
  expect(played.screen()).toContain("stop main and 2 below?  f finish and report  n now  Esc go on");
  await played.press(ESC, "\t", "\u001b[B", "\u001b[B", "s");
  expect(played.screen()).toContain("stop researcher #2?");
  await played.press("n");
  await played.until((screen) => /researcher #2 +cancelled/.test(screen));
  held.open();
  await played.until("One is enough.");
  expect(played.all()).toMatch(/✓ researcher #1 +done/);
});

test("Esc leaves the view of an agent that is merely watched, level by level, and stops nobody", async () => {
  const held = gate();
  const played = await play({
    script: byAgent({
      main: [{ toolCalls: [delegate("a", "researcher", "find one")] }, { text: "Found." }],
      researcher: [{ before: held.closed, text: "## Summary\nfound" }],
    }),
  });
  await played.press("find", ENTER);
  await played.until("waits for researcher");
  await played.press("\t", "\u001b[B", ENTER);
  await played.until("task find one");
  await played.press(ESC);
  expect(played.screen()).not.toContain("task find one");
  expect(played.screen()).toContain("Esc back");
  await played.press(ESC);
  expect(played.screen()).not.toContain("Esc back");
  expect(played.screen()).not.toContain("stop ");
  held.open();
  await played.until("completed in");
  expect(played.all()).not.toContain("cancelled");
});

test("a run that tells nothing for long says for how long and what it waits for", async () => {
  const held = gate();
  const played = await play({ script: [{ before: held.closed, text: "At last." }] });
  await played.press("go", ENTER);
  await played.until("asks the model");
  await played.advance(250_000);
  await played.until((screen) => /quiet 4:\d\d \(model\)/.test(screen));
  held.open();
  await played.until("At last.");
});

test("a paste of 40 lines is one turn, with brackets and without, whatever stands in it", async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `at frame ${index} (y/n?)`);
  const played = await play({ script: [{ text: "I see." }, { text: "Again." }] });
  await played.press(`\u001b[200~${lines.join("\r")}\u001b[201~`);
  expect(played.all()).not.toContain(" you ");
  await played.press(ENTER);
  await played.until("I see.");
  await played.until("ready");
  // As from a terminal that does not mark pastes, in pieces.
  const text = lines.join("\r");
  for (let at = 0; at < text.length; at += 100) played.type(text.slice(at, at + 100));
  await new Promise((resolve) => setTimeout(resolve, 200));
  await played.press(ENTER);
  await played.until("Again.");
  const tasks = (await played.retinue.events(played.tui.conversation.main()?.sessionId ?? "ses_")).flatMap((event) =>
    event.type === "run.requested" ? [event.task[0]] : [],
  );
  expect(tasks).toEqual([
    { type: "text", text: lines.join("\n") },
    { type: "text", text: lines.join("\n") },
  ]);
});

test("ask_user is answered in place, by a number or in words, and a text that was begun comes back", async () => {
  const [held, later] = [gate(), gate()];
  const played = await play({
    script: [
      { before: held.closed, toolCalls: [call("q", "ask_user", { question: "Which port?", options: ["80", "8080"] })] },
      { before: later.closed, toolCalls: [call("r", "ask_user", { question: "Which name?" })] },
      { text: "Thanks." },
    ],
  });
  await played.press("go", ENTER);
  held.open();
  await played.until("! asks: Which port?");
  await played.advance(1500);
  await played.until("1 80");
  await played.advance(300);
  await played.press("2");
  await played.press("begun");
  later.open();
  await played.until("! asks: Which name?");
  await played.press("\u0007");
  await played.advance(300);
  await played.press("retinue", ENTER);
  await played.until("Thanks.");
  expect(played.all()).toContain("you    8080");
  expect(played.all()).toContain("you    retinue");
  expect(played.screen()).toContain("› begun");
});

test("Enter steers the turn that runs and Alt+Enter queues for after it; both tell their state, and ↑ takes a queued text back", async () => {
  const held = gate();
  const played = await play({
    script: [{ before: held.closed, toolCalls: [call("l", "ls", {})] }, { text: "First." }, { text: "Second." }],
  });
  await played.press("go", ENTER);
  await played.until("asks the model");
  await played.press("use euros", ENTER);
  await played.until("queued for its next step");
  await played.press("then test it", "\u001b\r", "and this", "\u001b\r");
  await played.until((screen) => /after {2}then test it {2}queued/.test(screen) && /after {2}and this {2}queued/.test(screen));
  await played.press("\u001b[A");
  await played.until("› and this");
  expect(played.screen()).not.toMatch(/after {2}and this/);
  await played.press("\u0003");
  held.open();
  await played.until("Second.");
  const seen = played.all();
  expect(seen).toContain("you → main  use euros");
  expect(seen.indexOf("First.")).toBeLessThan(seen.indexOf(" you  then test it"));
});

test("a message tells at which step it was read, and that nobody can read it any more where its run ended before", async () => {
  const [first, second] = [gate(), gate()];
  const played = await play({
    script: byAgent({
      main: [{ toolCalls: [delegate("a", "researcher", "find one")] }, { text: "Found." }],
      researcher: [
        { before: first.closed, toolCalls: [call("l", "ls", {})] },
        { before: second.closed, text: "Never." },
      ],
    }),
  });
  await played.press("go", ENTER);
  await played.until("researcher  asks the model");
  await played.press("/message researcher look in src", ENTER);
  await played.until("queued for its next step");
  first.open();
  await played.until((screen) => !screen.includes("queued for its next step"));
  await played.press("/message researcher and in lib", ENTER);
  await played.until("queued for its next step");
  await played.press("\t", "\u001b[B", ENTER);
  await played.until("you: look in src  delivered at step 2");
  expect(played.screen()).toContain("you: and in lib  queued for its next step");
  await played.press(ESC, ESC, "\u0003");
  await played.until("cancelled in");
  expect(played.all()).toContain("✗ undeliverable researcher ended before it could read: and in lib");
});

test("Ctrl-C clears a text without losing it, then stops the turn, and twice leaves with the run kept in the record", async () => {
  const held = gate();
  const played = await play({ script: [{ before: held.closed, text: "Never." }] });
  await played.press("go", ENTER);
  await played.until("asks the model");
  await played.press("half a thought", "\u0003");
  await played.press("\u001b[A");
  expect(played.screen()).toContain("› half a thought");
  await played.advance(3000);
  await played.press("\u0003");
  await played.advance(3000);
  await played.press("\u0003");
  await played.until("cancelled in");
  await played.press("\u0003");
  await played.tui.left;
});

test("who looks elsewhere is notified of a question and of the end, not while the window has the focus, and the title counts", async () => {
  const played = await play(asking(1));
  played.type("\u001b[O");
  await played.press("go", ENTER);
  await played.until("! 1");
  expect(played.bytes()).toContain("\u001b]9;Retinue waits for your answer.\u0007");
  expect(played.bytes()).toContain("\u001b]0;(1) retinue: project\u0007");
  await played.advance(1500);
  await played.until("y once");
  await played.advance(300);
  await played.press("y");
  await played.until("completed in");
  await played.until("ready");
  expect(played.bytes().match(/\]9;Retinue is done\./g)).toHaveLength(1);
});

test("/copy gives the source of the answer, as it was written, and reads no clipboard", async () => {
  const source = "# Title\n\nA **long** line.\n";
  const played = await play({ script: [{ text: source }] });
  await played.press("go", ENTER);
  await played.until("completed in");
  await played.press("/copy", ENTER);
  await played.until("copied");
  expect(played.bytes()).toContain(`\u001b]52;c;${Buffer.from(source).toString("base64")}\u0007`);
  expect(played.bytes()).not.toContain("]52;c;?");
});

test("agents that are started beside the conversation work at the same time, and what they hand in stands in it", async () => {
  const held = gate();
  const played = await play({
    script: (request) =>
      JSON.stringify(request.messages).includes("where is it?")
        ? { text: "## Summary\nfound it\n\n## Details\nIn **src**." }
        : { before: held.closed, text: "Main is done." },
  });
  await played.press("go", ENTER);
  await played.until("asks the model");
  await played.press("/spawn researcher where is it?", ENTER);
  await played.until("In src.");
  expect(played.screen()).toContain("● main");
  held.open();
  await played.until("Main is done.");
});
