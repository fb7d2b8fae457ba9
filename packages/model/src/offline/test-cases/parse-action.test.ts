import { expect, test } from "vitest";
import { parseAction } from "./parse-action.ts";
import { SCREEN_RULES } from "./screen-rules.ts";

const shown = (text: string, rules?: typeof SCREEN_RULES): string => {
  const parsed = parseAction(text, rules);
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

test.each([
  ['Type "hello and press x" into the terminal and press Enter', 'type {"text":"hello and press x"} | key {"key":"Enter"}'],
  ['Type "{{secret:PIN}}"', 'type {"text":"{{secret:PIN}}"}'],
  ["Press ctrl+s", 'key {"key":"ctrl+s"}'],
  ["Click at 300, 200, then scroll up 2 steps", 'click {"x":300,"y":200} | scroll {"direction":"up","steps":2}'],
  ["Double-click the Notes icon", 'click {"description":"Notes icon","double":true}'],
  ["Wait 2 seconds and take a screenshot", 'shell {"command":"sleep 2"} | screenshot {}'],
  ["Look at the screen", ""],
  ["Juggle three balls", "? Juggle three balls"],
])("on a screen %j is understood as %j", (text, calls) => {
  expect(shown(text, SCREEN_RULES)).toBe(calls);
});
