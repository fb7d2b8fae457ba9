/** `browser_press`: presses a key, in an element or wherever the page has its focus. */
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { runAct } from "./act.ts";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";
import { ELEMENT_FIELDS, WAIT_FIELD, isNamed } from "./element-input.ts";
import { toLabel } from "./page-tree.ts";

const INPUT = z.object({
  ...ELEMENT_FIELDS,
  ...WAIT_FIELD,
  key: z.string().min(1).max(60).describe('Such as "Enter", "Escape", "ArrowDown" or "Control+A".'),
});

type PressInput = z.infer<typeof INPUT>;

export const createBrowserPress = ({ browser }: BrowserToolOptions): AnyTool =>
  defineTool<PressInput, BrowserSession>({
    name: "browser_press",
    description: "Presses a key in the page, or in an element of it, and tells what changed.",
    input: INPUT,
    effect: "network",
    resource: browser,
    execute: (input, context, session) =>
      runAct({
        tool: "browser_press",
        input,
        context,
        session,
        act: async ({ page, find, options }) => {
          if (!isNamed(input)) {
            await page.keyboard.press(input.key);
            return `Pressed ${input.key}.`;
          }
          const { node, locator } = await find(input);
          await locator.press(input.key, options);
          return `Pressed ${input.key} in ${toLabel(node)}.`;
        },
      }),
  });
