/** The card of a question, read line by line in a small terminal. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createProject } from "../../cli/testing/spawn-retinue.ts";
import { byAgent, call, ENTER, ESC, playTui, type Played } from "../testing/play-tui.ts";

const [UP, DOWN, PAGE_DOWN, PAGE_UP] = ["\u001b[A", "\u001b[B", "\u001b[6~", "\u001b[5~"];

let played: Played | undefined;
afterEach(() => played?.close());

/** An agent at depth 1 wants to change two far-off places of a long file, in a terminal of 40 by 20. */
const asked = async (size: { readonly columns: number; readonly rows: number }): Promise<Played> => {
  const project = await createProject();
  await mkdir(join(project.workspace, "src"));
  const lines = Array.from({ length: 60 }, (_, index) => `const line${index + 1} = ${index + 1};`);
  await writeFile(join(project.workspace, "src/cart.ts"), `${lines.join("\n")}\n`);
  const edits = [
    { old: "const line10 = 10;", new: 'const line10 = "ten";' },
    { old: "const line50 = 50;", new: 'const line50 = "fifty";' },
  ];
  played = await playTui({
    ...size,
    project,
    script: byAgent({
      main: [
        { toolCalls: [call("d", "delegate_to_agent", { agent: "executor", task: "write numbers out" })] },
        { text: "Done." },
      ],
      executor: [
        { toolCalls: [call("e", "edit", { path: "src/cart.ts", edits })] },
        { text: "## Summary\nheard" },
        { text: "## Summary\nheard" },
      ],
    }),
  });
  await played.press("go", ENTER);
  await played.until("! 1");
  await played.advance(1500);
  await played.until("--- a/src/cart.ts");
  await played.advance(300);
  return played;
};

test("at 40 by 20 the card shows who asks below whom, the act and the head of the diff, and scrolls by line, page and hunk to its end", async () => {
  const at = await asked({ columns: 40, rows: 20 });
  const card = at.screen();
  expect(card).toContain("executor ‹ main: edit src/cart.ts");
  expect(card).toContain("--- a/src/cart.ts");
  expect(card).toMatch(/rows 1–\d+ of \d+/);
  expect(card).toMatch(/y once {2}r run {2}s session {2}n no/);
  expect(card).toMatch(/└ ↑↓ \] hunk {2}c remark {2}v all ─+┘/);
  await at.press("]");
  expect(at.screen()).toMatch(/› @@ -7,7 \+7,7 @@/);
  await at.press("]");
  expect(at.screen()).toMatch(/› @@ -47,7 \+47,7 @@/);
  expect(at.screen()).not.toContain("--- a/src/cart.ts");
  await at.press(PAGE_DOWN);
  expect(at.screen()).toMatch(/rows \d+–(\d+) of \1/);
  await at.press("[", "[", UP, PAGE_UP);
  expect(at.screen()).toContain("--- a/src/cart.ts");
  await at.press("?");
  expect(at.screen()).toContain("r and s: every write with edit");
  expect(at.all()).not.toContain("allowed");
});

test("remarks on lines go with a no as one message with path, line and code; Esc and an empty remark keep none", async () => {
  const at = await asked({ columns: 80, rows: 24 });
  await at.press("]", DOWN, DOWN, DOWN, DOWN, DOWN, "c", "a number, please", ENTER);
  await at.until("└ a number, please");
  await at.press("]", "c", "not kept", ESC);
  // A remark takes every key: none of them answers.
  await at.press("c", "yrs", ENTER, "c", "\u0015", ENTER);
  expect(at.screen()).not.toContain("yrs");
  expect(at.all()).not.toContain("allowed");
  await at.press("n", "once more", ENTER);
  await at.until("⊘ denied executor");
  const events = await at.retinue.events(at.tui.conversation.main()?.sessionId ?? "ses_");
  const answered = events.find(({ type }) => type === "approval.answered");
  expect(answered).toMatchObject({
    allowed: false,
    reason:
      'The user said no: once more\nRemarks on what you want to do:\n- src/cart.ts:10 `+const line10 = "ten";`: a number, please',
  });
});

test("remarks go with a yes, too, as a message to the agent that asked", async () => {
  const at = await asked({ columns: 80, rows: 24 });
  await at.press("c", "fine, but test it", ENTER, "v", "y");
  await at.until("✓ allowed once");
  await at.until("you → executor");
  await at.until("Done.");
  expect(at.all()).toContain("`--- a/src/cart.ts`: fine, but test it");
});

test("N23: an act longer than the card takes no yes before its end was shown", async () => {
  const at = await asked({ columns: 40, rows: 20 });
  await at.press("y", "r", "s", "p");
  expect(at.screen()).toContain("Read it to its end");
  expect(at.all()).not.toContain("allowed once");
  // The end alone is not all of it.
  await at.press("\u001b[F", "y");
  expect(at.all()).not.toContain("allowed once");
  await at.press("v", "y");
  await at.until("✓ allowed once");
});
