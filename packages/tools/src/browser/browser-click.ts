/** `browser_click`: clicks an element, or a place of the page for what has no accessible element, and tells what changed. */
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { runAct } from "./act.ts";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";
import { ELEMENT_FIELDS, WAIT_FIELD } from "./element-input.ts";
import { ElementNotFound } from "./find-element.ts";
import { findByLooking } from "./look-at-page.ts";
import { toLabel } from "./page-tree.ts";

const INPUT = z.object({
  ...ELEMENT_FIELDS,
  ...WAIT_FIELD,
  x: z.number().min(0).max(20_000).optional().describe("With y: a place of the page, for canvas and what has no role."),
  y: z.number().min(0).max(20_000).optional(),
  button: z.enum(["left", "right", "middle"]).optional(),
  double: z.boolean().optional().describe("A double click."),
});

type ClickInput = z.infer<typeof INPUT>;

export const createBrowserClick = ({ browser, visionModel }: BrowserToolOptions): AnyTool =>
  defineTool<ClickInput, BrowserSession>({
    name: "browser_click",
    description: "Clicks an element of the page and tells what changed. Name it by ref, by role and name, or by a description.",
    input: INPUT,
    effect: "network",
    resource: browser,
    execute: (input, context, session) =>
      runAct({
        tool: "browser_click",
        input,
        context,
        session,
        act: async ({ page, find, options }) => {
          const { x, y, button = "left", double = false } = input;
          const clicks = { button, clickCount: double ? 2 : 1 };
          if (x !== undefined && y !== undefined) {
            await page.mouse.click(x, y, clicks);
            return `Clicked at ${x},${y} (not deterministic: a place, no element).`;
          }
          try {
            const { node, locator } = await find(input);
            await locator.click({ ...clicks, ...options });
            return `Clicked ${toLabel(node)}.`;
          } catch (thrown) {
            const isUnseen = thrown instanceof ElementNotFound && input.description !== undefined;
            const place = isUnseen
              ? await findByLooking({ session, context, visionModel, description: input.description ?? "" })
              : undefined;
            if (!place) throw thrown;
            await page.mouse.click(place.x, place.y, clicks);
            return `Clicked at ${place.x},${place.y}, where ${place.model} sees ${JSON.stringify(input.description)} (not deterministic).`;
          }
        },
      }),
  });
