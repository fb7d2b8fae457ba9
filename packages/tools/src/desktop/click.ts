/** `click`: clicks a place of the screen. */
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import type { DesktopSession } from "./desktop-session.ts";
import type { DesktopToolOptions } from "./desktop-tool-options.ts";
import { findPlace, toChange } from "./look-at-screen.ts";

const INPUT = z.object({
  x: z.number().int().min(0).max(20_000).optional(),
  y: z.number().int().min(0).max(20_000).optional(),
  description: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe("What to click, in place of x and y; a model that reads images finds it."),
  button: z.enum(["left", "middle", "right"]).optional(),
  double: z.boolean().optional(),
});

const BUTTONS = { left: "1", middle: "2", right: "3" } as const;

export const createClickTool = ({ desktop, visionModel }: DesktopToolOptions): AnyTool =>
  defineTool<z.infer<typeof INPUT>, DesktopSession>({
    name: "click",
    description: "Clicks a place of the screen, by its pixels or by what is seen there.",
    input: INPUT,
    effect: "execute",
    resource: desktop,
    execute: ({ button = "left", double = false, ...wanted }, context, session) =>
      session.inTurn(async () => {
        const { x, y, how } = await findPlace(wanted, { session, context, visionModel });
        const move = ["mousemove", "--sync", String(x), String(y)];
        const { hasChanged } = await session.act(
          () => session.xdotool([...move, "click", "--repeat", double ? "2" : "1", BUTTONS[button]]),
          context.signal,
        );
        return `Clicked ${how}. ${toChange(hasChanged)}`;
      }),
  });
