/** `scroll`: turns the wheel, where the pointer is or at a place. */
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import type { DesktopSession } from "./desktop-session.ts";
import type { DesktopToolOptions } from "./desktop-tool-options.ts";
import { toChange } from "./look-at-screen.ts";

const INPUT = z.object({
  direction: z.enum(["up", "down", "left", "right"]),
  steps: z.number().int().min(1).max(50).optional().describe("Turns of the wheel, 3 by default."),
  x: z.number().int().min(0).max(20_000).optional(),
  y: z.number().int().min(0).max(20_000).optional(),
});

const WHEEL = { up: "4", down: "5", left: "6", right: "7" } as const;

export const createScrollTool = ({ desktop }: DesktopToolOptions): AnyTool =>
  defineTool<z.infer<typeof INPUT>, DesktopSession>({
    name: "scroll",
    description: "Scrolls what is under the pointer, or at a place of the screen.",
    input: INPUT,
    effect: "execute",
    resource: desktop,
    execute: ({ direction, steps = 3, x, y }, context, session) =>
      session.inTurn(async () => {
        const move = x === undefined || y === undefined ? [] : ["mousemove", "--sync", String(x), String(y)];
        const { hasChanged } = await session.act(
          () => session.xdotool([...move, "click", "--repeat", String(steps), WHEEL[direction]]),
          context.signal,
        );
        return `Scrolled ${direction}. ${toChange(hasChanged)}`;
      }),
  });
