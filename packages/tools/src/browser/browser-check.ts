/**
 * `browser_check`: evaluates a check of a test case on the page. It is made by whoever runs test cases, and gives what was found as JSON; of a check that does not hold with a picture of
 * what the page showed in its place.
 */
import type { AnyTool, ToolOutput } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { checkSchema } from "@retinue/protocol/test-case";
import type { PageCheck } from "@retinue/protocol/test-case";
import { RetinueError } from "@retinue/protocol";
import { z } from "zod";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";
import { evaluateCheck } from "./check/evaluate-check.ts";
import { keepPicture } from "./look-at-page.ts";

const INPUT = z.object({ check: checkSchema });

type CheckInput = z.output<typeof INPUT>;

export const createBrowserCheck = ({ browser }: BrowserToolOptions): AnyTool =>
  defineTool<CheckInput, BrowserSession>({
    name: "browser_check",
    description: "Evaluates a check of a test case on the page and gives what was found.",
    input: INPUT,
    effect: "read",
    selfFitted: true,
    resource: browser,
    execute: ({ check }, context, session) =>
      session.inTurn(context.scope, async (): Promise<ToolOutput> => {
        if (check.check === "command") throw new RetinueError("tool_failed", "A check of a command needs no page.");
        const found = await evaluateCheck(session, check satisfies PageCheck, context.signal);
        const artifact = found.status === "failed" ? await keepPicture(session, context.artifacts) : undefined;
        return { content: [{ type: "text", text: JSON.stringify(found) }], ...(artifact ? { artifact } : {}) };
      }),
  });
