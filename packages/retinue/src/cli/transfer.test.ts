/** A conversation that is handed over is told of wherever a person of the terminal looks, and whoever goes on with it is heard. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { byAgent, call as callOf, ENTER, playTui } from "../tui/testing/play-tui.ts";
import { callRetinue } from "./testing/call-retinue.ts";
import { call, createMockProject, type MockProject } from "./testing/mock-project.ts";

const HANDED = { agent: "researcher", task: "Explain the bill.", transfer: true };
const TAKES_OVER = "researcher: goes on with the conversation in the place of main";

let made: MockProject;

beforeAll(async () => {
  made = await createMockProject(({ text }) =>
    text.includes("operating as a **researcher**")
      ? { text: "You bought quinces." }
      : { text: "I hand you over.", toolCalls: [call("delegate_to_agent", HANDED)] },
  );
});
afterAll(() => made.remove());

test("retinue run tells of it beside, and its answer is that of the one who went on", async () => {
  const { code, stdout, stderr } = await callRetinue(made.project, ["run", "Why is my bill so high?"]);
  expect([code, stdout]).toEqual([0, "You bought quinces.\n"]);
  expect(stderr).toContain(`  ${TAKES_OVER}`);
  expect(stderr).toContain("I hand you over.");
});

test("a prompt in lines prints the words of both", async () => {
  const { code, stdout, stderr } = await callRetinue(made.project, [], {}, "Why is my bill so high?\n");
  expect([code, stdout]).toEqual([0, "I hand you over.\nYou bought quinces.\n"]);
  expect(stderr).toContain(TAKES_OVER);
});

test("sessions show and the export as Markdown tell who handed it to whom", async () => {
  const { stdout: shown } = await callRetinue(made.project, ["sessions", "show", "latest"]);
  expect(shown).toMatch(/^main \(#1\) handed the conversation over to researcher, which has answered$/m);
  const { stdout: json } = await callRetinue(made.project, ["sessions", "show", "latest", "--json"]);
  expect(JSON.parse(json)).toMatchObject({ tree: [{ transferredTo: { agent: "researcher", hasAnswered: true } }] });
  const { stdout: markdown } = await callRetinue(made.project, ["sessions", "export", "latest", "--format", "markdown"]);
  expect(markdown).toMatch(/^- \*\*main\*\* .*; handed the conversation over to researcher, which has answered$/m);
  expect(markdown).toContain("**Handed the conversation over** to researcher, whose answer is the answer of main");
});

test("the TUI tells of it in the conversation and in the tree, streams what the other says, and a next turn is the other's", async () => {
  const held = Promise.withResolvers<void>();
  const scripted = byAgent({
    main: [{ text: "I hand you over.", toolCalls: [callOf("c1", "delegate_to_agent", HANDED)] }],
    researcher: [
      { text: "I read the bill.", toolCalls: [callOf("r1", "ls", { path: "." })] },
      { before: held.promise, text: "You bought **quinces**." },
    ],
  });
  const played = await playTui({
    // The other speaks at depth 0 then, and no longer as one whose task was delegated.
    script: (request, ...more) =>
      JSON.stringify(request.messages.at(-1)).includes("Thank you.")
        ? { text: "You are welcome." }
        : typeof scripted === "function"
          ? scripted(request, ...more)
          : undefined,
  });
  try {
    await played.press("Why is my bill so high?", ENTER);
    await played.until(TAKES_OVER);
    await played.until("I read the bill.");
    expect(played.screen()).toMatch(/main +handed the conversation over to researcher/);
    held.resolve();
    await played.until("completed in");
    expect(played.all()).toMatch(/I hand you over\.[^]*goes on with[^]*I read the bill\.[^]*✓ ls[^]*You bought quinces\./);
    expect(played.all().match(/You bought quinces/g)?.length).toBe(2);
    await played.press("Thank you.", ENTER);
    await played.until("You are welcome.");
  } finally {
    await played.close();
  }
});
