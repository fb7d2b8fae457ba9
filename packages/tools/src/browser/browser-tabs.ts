/** `browser_tabs`: lists the tabs, and opens, chooses or closes one. */
import { RetinueError } from "@retinue/protocol";
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { neutralise } from "@retinue/runtime";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";

const INPUT = z.object({
  action: z.enum(["list", "open", "choose", "close"]),
  tab: z.number().int().min(1).optional().describe("Its number in the list, for choose and close."),
});

type TabsInput = z.infer<typeof INPUT>;

export const createBrowserTabs = ({ browser }: BrowserToolOptions): AnyTool =>
  defineTool<TabsInput, BrowserSession>({
    name: "browser_tabs",
    description: "Lists the tabs of the browser, or opens, chooses or closes one.",
    input: INPUT,
    effect: "read",
    resource: browser,
    execute: ({ action, tab }, context, session) =>
      session.inTurn(context.scope, async () => {
        const current = await session.page();
        const pages = session.context.pages();
        const meant = tab === undefined ? current : pages[tab - 1];
        if (!meant) throw new RetinueError("tool_failed", `There is no tab ${tab}; there are ${pages.length}.`);
        if (action === "open") session.select(await session.context.newPage());
        if (action === "choose") {
          session.select(meant);
          await meant.bringToFront();
        }
        if (action === "close") await meant.close();
        return describeTabs(session);
      }),
  });

const describeTabs = async (session: BrowserSession): Promise<string> => {
  const current = await session.page();
  const lines = await Promise.all(
    session.context
      .pages()
      .map(
        async (page, index) =>
          `${index + 1}. ${await page.title().catch(() => "")} ${page.url()}${page === current ? " (this one is acted in)" : ""}`,
      ),
  );
  return neutralise(session.mask(lines.join("\n")));
};
