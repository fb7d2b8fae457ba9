/** `browser_navigate`: opens an address, or goes back, forward or loads anew, and shows what the page is. */
import { toHost } from "@retinue/confine";
import { RetinueError } from "@retinue/protocol";
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import type { Page, Response } from "playwright-core";
import { z } from "zod";
import { runAct } from "./act.ts";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";
import { since } from "./session-log.ts";
import { isProxyAnswer, NO_CONNECTION, pageUnreachable } from "./unreachable.ts";

const LOAD_MS = 30_000;

const INPUT = z.object({
  url: z.string().min(1).max(8192).optional().describe("A whole http or https address, or a path of the application under test."),
  go: z.enum(["back", "forward", "reload"]).optional().describe("In place of an address."),
});

type NavigateInput = z.infer<typeof INPUT>;

export const createBrowserNavigate = ({ browser }: BrowserToolOptions): AnyTool =>
  defineTool<NavigateInput, BrowserSession>({
    name: "browser_navigate",
    description: "Opens an address in the browser and tells the page's title, address and what can be done on it.",
    input: INPUT,
    effect: "network",
    resource: browser,
    touches: ({ url }) => ({ hosts: hostsOf(url) }),
    execute: (input, context, session) =>
      runAct({
        tool: "browser_navigate",
        input,
        context,
        session,
        act: async ({ page }) => {
          if (input.url === undefined && input.go === undefined)
            throw new RetinueError("tool_failed", "No address is given.", { hint: "Give url, or go." });
          const mark = session.log.mark();
          const response =
            input.url === undefined
              ? await move(page, input.go ?? "reload")
              : await open(session, page, input.url, context.signal);
          const refused = since(session.log.refused, mark).at(0);
          if (refused && (response === null || response.status() === 403)) throw new RetinueError("act_denied", refused.text);
          if (response && isProxyAnswer(response)) throw pageUnreachable(response.url());
          if (response && response.status() >= 400)
            return `The page answered with status ${response.status()} ${response.statusText()}.`;
          return "Opened.";
        },
      }),
  });

const open = async (session: BrowserSession, page: Page, address: string, signal: AbortSignal): Promise<Response | null> => {
  const url = await session.judge(address);
  const mark = session.log.mark();
  try {
    return await page.goto(url.href, { timeout: LOAD_MS, waitUntil: "domcontentloaded", signal });
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    // The address is a file that is downloaded, which is told with the rest.
    if (text.includes("Download is starting")) return null;
    const why = /net::(ERR_\w+)/.exec(text)?.[1];
    if (signal.aborted) throw thrown;
    if (thrown instanceof Error && thrown.name === "TimeoutError")
      throw pageUnreachable(url.href, "", `it did not answer within ${LOAD_MS / 1000} s`);
    if (why !== undefined && NO_CONNECTION.test(why) && since(session.log.refused, mark).length === 0)
      throw pageUnreachable(url.href, "", why);
    throw new RetinueError("tool_failed", `${url.href} could not be opened: ${why ?? text.split("\n")[0] ?? "it failed"}.`);
  }
};

const move = (page: Page, go: "back" | "forward" | "reload"): Promise<Response | null> => {
  const options = { timeout: LOAD_MS, waitUntil: "domcontentloaded" } as const;
  switch (go) {
    case "back":
      return page.goBack(options);
    case "forward":
      return page.goForward(options);
    case "reload":
      return page.reload(options);
    default:
      return go satisfies never;
  }
};

/** None for a path, whose host is that of the application under test; such a call is judged when the browser goes there. */
const hostsOf = (address: string | undefined): readonly string[] => {
  const url = address === undefined ? null : URL.parse(address);
  if (url === null || url.hostname === "") return [];
  return [`${toHost(url)}${url.port === "" ? "" : `:${url.port}`}`];
};
