import { expect, test } from "vitest";
import { parseAction } from "./parse-action.ts";

const shown = (text: string): string => {
  const parsed = parseAction(text);
  return parsed.type === "unknown"
    ? `? ${parsed.sentence}`
    : parsed.calls.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`).join(" | ");
};

test.each([
  ["Navigate to http://127.0.0.1:1/login", 'browser_navigate {"url":"http://127.0.0.1:1/login"}'],
  ['Open the page "/login".', 'browser_navigate {"url":"/login"}'],
  ["Click the Log in button", 'browser_click {"description":"Log in button"}'],
  ['Click "Save product"', 'browser_click {"description":"Save product"}'],
  ['Type "ada@example.com" into the Email field', 'browser_type {"description":"Email field","text":"ada@example.com"}'],
  [
    "Enter {{secret:PASSWORD}} in the Password field",
    'browser_type {"description":"Password field","text":"{{secret:PASSWORD}}"}',
  ],
  [
    'Type "a and click b" into the Name field and click the Save button',
    'browser_type {"description":"Name field","text":"a and click b"} | browser_click {"description":"Save button"}',
  ],
  [
    'Fill in the Price field with "3.50", then press Enter',
    'browser_type {"description":"Price field","text":"3.50"} | browser_press {"key":"Enter"}',
  ],
  ['Select "Large" from the Size list', 'browser_select {"description":"Size list","values":["Large"]}'],
  ["Run `npm test`", 'shell {"command":"npm test"}'],
  ["Look at the page", ""],
  ["Juggle three balls", "? Juggle three balls"],
  ["Click the Save button and juggle", 'browser_click {"description":"Save button and juggle"}'],
])("%j is understood as %j", (text, calls) => {
  expect(shown(text)).toBe(calls);
});
