/** Characters that deceive are drawn as escapes in the card of the terminal, with a warning (N11). */
import { afterEach, expect, test } from "vitest";
import { call, ENTER, playTui, type Played } from "../testing/play-tui.ts";

let played: Played | undefined;
afterEach(() => played?.close());

test("N11: a write with hidden characters is asked about with escapes and a warning", async () => {
  played = await playTui({
    script: [
      { toolCalls: [call("w", "write", { path: "src/\u202est.exe", content: "if (is\u200bAdmin) return;\n" })] },
      { text: "Done." },
    ],
  });
  await played.press("go", ENTER);
  await played.until("! 1");
  await played.advance(1500);
  await played.until("warning: has 2 hidden characters (text direction, zero width)");
  const screen = played.screen();
  expect(screen).toContain("src/\\u{202e}st.exe");
  expect(screen).toContain("is\\u{200b}Admin");
  expect(played.bytes()).not.toMatch(/[\u202e\u200b]/);
});
