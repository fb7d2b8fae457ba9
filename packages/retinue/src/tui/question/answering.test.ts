/** Keys that were not meant as an answer answer nothing (N12), in the terminal. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { byAgent, call, ENTER, ESC, playTui, type Played, type PlayOptions } from "../testing/play-tui.ts";

const [TAB, DOWN, CTRL_G] = ["\t", "\u001b[B", "\u0007"];

let played: Played | undefined;
afterEach(() => played?.close());

const play = async (script: PlayOptions["script"]): Promise<Played> => {
  played = await playTui({ script });
  return played;
};

const write = (callId: string, path: string) => call(callId, "write", { path, content: "1\n" });
const isThere = (at: Played, file: string): Promise<boolean> =>
  access(join(at.project.workspace, file)).then(
    () => true,
    () => false,
  );

const askedToWrite = async (...files: readonly string[]): Promise<Played> => {
  const at = await play(
    byAgent({ main: [...files.map((file, index) => ({ toolCalls: [write(`w${index}`, file)] })), { text: "Done." }] }),
  );
  await at.press("go", ENTER);
  await at.until("! 1");
  return at;
};

test("N12: a key that came too early answers nothing and is shown as dropped", async () => {
  const at = await askedToWrite("one.ts");
  await at.advance(1500);
  await at.until("y once");
  await at.press("y");
  expect(at.screen()).toContain("y answered nothing: the question had just come into view.");
  expect(await isThere(at, "one.ts")).toBe(false);
  await at.advance(300);
  await at.press("y");
  await at.until("completed in");
  expect(await isThere(at, "one.ts")).toBe(true);
});

test("N12: a key that is held down answers one question, and never the next", async () => {
  const at = await play(
    byAgent({
      main: [
        {
          toolCalls: ["one", "two"].map((name) => call(name, "delegate_to_agent", { agent: "executor", task: `write ${name}` })),
        },
        { text: "Done." },
      ],
      executor: [{ toolCalls: [write("a", "one.ts")] }, { toolCalls: [write("b", "two.ts")] }, { text: "x" }, { text: "y" }],
    }),
  );
  await at.press("go", ENTER);
  await at.until("! 2");
  await at.advance(1500);
  await at.advance(300);
  for (let repeat = 0; repeat < 30; repeat += 1) {
    at.type("y");
    await at.advance(30);
  }
  await at.until("✓ allowed once");
  expect(await Promise.all([isThere(at, "one.ts"), isThere(at, "two.ts")])).toContain(false);
  expect(at.screen()).toContain("y answered nothing");
});

test("N12: while one moves in the tree, s offers a stop and answers no question", async () => {
  const at = await play(
    byAgent({
      main: [{ toolCalls: [call("d", "delegate_to_agent", { agent: "executor", task: "write it" })] }, { text: "Done." }],
      executor: [{ toolCalls: [write("w", "one.ts")] }, { text: "## Summary\nwritten" }],
    }),
  );
  await at.press("go", ENTER);
  await at.until("! 1");
  await at.press(TAB, DOWN);
  await at.advance(3000);
  await at.press("s");
  expect(at.screen()).toContain("stop executor?");
  expect(at.all()).not.toContain("allowed");
  await at.press(ESC, CTRL_G);
  await at.until("y once");
  await at.advance(1500);
  await at.press("y");
  await at.until("✓ allowed once");
});

test("N12: a slash command that is typed while an agent asks runs, and is not the answer", async () => {
  const at = await play([
    { toolCalls: [call("a", "ask_user", { question: "Which port?", options: ["80", "8080"] })] },
    { text: "Thanks." },
  ]);
  await at.press("go", ENTER);
  await at.until("! 1");
  await at.advance(1500);
  await at.until("Type an answer");
  await at.advance(300);
  await at.press("/", "cost", ENTER);
  await at.advance(1500);
  expect(at.screen()).toContain("Which port?");
  expect(at.all()).not.toContain("Thanks.");
  await at.advance(300);
  await at.press("2");
  await at.until("Thanks.");
  const events = await at.retinue.events(at.tui.conversation.main()?.sessionId ?? "ses_");
  expect(events.find(({ type }) => type === "approval.answered")).toMatchObject({ text: "8080" });
});

test("N12: words begun as a question comes up stay in the input, and are not its answer", async () => {
  const at = await play([{ toolCalls: [call("a", "ask_user", { question: "Which port?" })] }, { text: "Thanks." }]);
  await at.press("go", ENTER);
  await at.until("! 1");
  await at.advance(1500);
  await at.until("Type an answer");
  await at.press("w");
  await at.advance(300);
  await at.press("ait", ENTER);
  await at.advance(1500);
  expect(at.all()).not.toContain("Thanks.");
  expect(at.screen()).toContain("Which port?");
});
