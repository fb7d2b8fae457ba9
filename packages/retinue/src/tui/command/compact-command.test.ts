import { afterEach, expect, test } from "vitest";
import { ENTER, playTui, type Played } from "../testing/play-tui.ts";

let played: Played | undefined;
afterEach(() => played?.close());

test("/compact puts a summary in place of what was said, ahead of the next turn, once; it is recorded, billed, and replays", async () => {
  const long = "The cart rounds to cents. ".repeat(100);
  const asked: string[] = [];
  played = await playTui({
    script: (request) => {
      const said = JSON.stringify(request.messages);
      if (request.system.startsWith("You compress the working notes")) return { text: "Notes: cents." };
      asked.push(said);
      return { text: asked.length === 1 ? long : `Answer ${asked.length}.` };
    },
  });
  await played.press("how does it round?", ENTER);
  await played.until("completed in");
  await played.press("/compact", ENTER);
  await played.until("begins with a summary");
  await played.press("and now?", ENTER);
  await played.until("Answer 2.");
  await played.until("ready");
  await played.press("and then?", ENTER);
  await played.until("Answer 3.");
  await played.until("ready");
  expect(asked[1]).toContain("Notes: cents.");
  expect(asked[1]).not.toContain("rounds to cents");
  const sessionId = played.tui.conversation.main()?.sessionId ?? "ses_";
  const fitted = (await played.retinue.events(sessionId)).filter(({ type }) => type === "context.fitted");
  expect(fitted).toHaveLength(1);
  expect(fitted[0]).toMatchObject({ summary: { text: "[summary of earlier work]\nNotes: cents." } });
  expect(played.all()).toMatch(/context fitted from \d+ to \d+ tokens/);
  expect(await played.retinue.verify(sessionId)).toMatchObject({ divergence: null });
});
