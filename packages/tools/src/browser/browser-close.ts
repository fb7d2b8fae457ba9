/** `browser_close`: closes all tabs. Cookies and storage of the session stay, and the next call opens a tab anew. */
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";

const INPUT = z.object({});

export const createBrowserClose = ({ browser }: BrowserToolOptions): AnyTool =>
  defineTool<z.infer<typeof INPUT>, BrowserSession>({
    name: "browser_close",
    description: "Closes all tabs of the browser.",
    input: INPUT,
    effect: "read",
    resource: browser,
    execute: (_input, context, session) =>
      session.inTurn(context.scope, async () => {
        const pages = session.context.pages();
        await Promise.all(pages.map((page) => page.close()));
        return pages.length === 0 ? "No tab was open." : `Closed ${pages.length === 1 ? "the tab" : `${pages.length} tabs`}.`;
      }),
  });
