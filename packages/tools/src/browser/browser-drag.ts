/** `browser_drag`: drags one element onto another. */
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { runAct } from "./act.ts";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";
import { ELEMENT_FIELDS, WAIT_FIELD } from "./element-input.ts";
import { toLabel } from "./page-tree.ts";

const INPUT = z.object({ from: z.object(ELEMENT_FIELDS), to: z.object(ELEMENT_FIELDS), ...WAIT_FIELD });

export const createBrowserDrag = ({ browser }: BrowserToolOptions): AnyTool =>
  defineTool<z.infer<typeof INPUT>, BrowserSession>({
    name: "browser_drag",
    description: "Drags an element of the page onto another and tells what changed.",
    input: INPUT,
    effect: "network",
    resource: browser,
    execute: (input, context, session) =>
      runAct({
        tool: "browser_drag",
        input,
        context,
        session,
        act: async ({ find, options }) => {
          const from = await find(input.from);
          const to = await find(input.to);
          await from.locator.dragTo(to.locator, options);
          return `Dragged ${toLabel(from.node)} onto ${toLabel(to.node)}.`;
        },
      }),
  });
