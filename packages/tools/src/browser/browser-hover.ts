/** `browser_hover`: moves the pointer over an element. */
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { runAct } from "./act.ts";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";
import { ELEMENT_FIELDS, WAIT_FIELD } from "./element-input.ts";
import { toLabel } from "./page-tree.ts";

const INPUT = z.object({ ...ELEMENT_FIELDS, ...WAIT_FIELD });

export const createBrowserHover = ({ browser }: BrowserToolOptions): AnyTool =>
  defineTool<z.infer<typeof INPUT>, BrowserSession>({
    name: "browser_hover",
    description: "Moves the pointer over an element of the page and tells what changed.",
    input: INPUT,
    effect: "network",
    resource: browser,
    execute: (input, context, session) =>
      runAct({
        tool: "browser_hover",
        input,
        context,
        session,
        act: async ({ find, options }) => {
          const { node, locator } = await find(input);
          await locator.hover(options);
          return `The pointer is over ${toLabel(node)}.`;
        },
      }),
  });
