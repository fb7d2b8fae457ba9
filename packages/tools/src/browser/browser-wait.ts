/** `browser_wait`: waits until a text is shown or gone, an address is reached, or some time has passed; bounded, and it says what came of it. */
import { setTimeout as sleep } from "node:timers/promises";
import { RetinueError } from "@retinue/protocol";
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { runAct } from "./act.ts";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";
import { textOf } from "./page-tree.ts";

const INPUT = z.object({
  text: z.string().min(1).max(1000).optional().describe("Until the page shows it."),
  gone: z.string().min(1).max(1000).optional().describe("Until the page no longer shows it."),
  url: z.string().min(1).max(1000).optional().describe("Until the address contains it."),
  seconds: z.number().min(0).max(60).optional().describe("With the others: how long at most, 10 by default. Alone: how long."),
});

type WaitInput = z.infer<typeof INPUT>;

const SECONDS = 10;
const LOOK_MS = 200;

export const createBrowserWait = ({ browser }: BrowserToolOptions): AnyTool =>
  defineTool<WaitInput, BrowserSession>({
    name: "browser_wait",
    description: "Waits until the page shows a text, no longer shows one, or has an address, and tells what changed meanwhile.",
    input: INPUT,
    effect: "read",
    resource: browser,
    execute: (input, context, session) =>
      runAct({
        tool: "browser_wait",
        input,
        context,
        session,
        act: async () => {
          const { text, gone, url, seconds } = input;
          if (text === undefined && gone === undefined && url === undefined) {
            await sleep(1000 * (seconds ?? 1), undefined, { signal: context.signal });
            return `Waited ${seconds ?? 1} s.`;
          }
          const most = seconds ?? SECONDS;
          const until = performance.now() + 1000 * most;
          for (;;) {
            const missing = await whatIsMissing(session, { text, gone, url });
            if (missing === undefined) return "What was waited for is so.";
            if (performance.now() >= until) throw new RetinueError("tool_failed", `After ${most} s ${missing}.`);
            await sleep(LOOK_MS, undefined, { signal: context.signal });
          }
        },
      }),
  });

const whatIsMissing = async (session: BrowserSession, { text, gone, url }: WaitInput): Promise<string | undefined> => {
  const tree = await session.readTree();
  const shown = tree.roots.map(textOf).join(" ").toLowerCase();
  if (text !== undefined && !shown.includes(text.toLowerCase())) return `the page does not show ${JSON.stringify(text)}`;
  if (gone !== undefined && shown.includes(gone.toLowerCase())) return `the page still shows ${JSON.stringify(gone)}`;
  if (url !== undefined && !tree.url.includes(url)) return `the address is ${tree.url}`;
  return undefined;
};
