/** `key`: presses a key, or several together. */
import { RetinueError } from "@retinue/protocol";
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import type { DesktopSession } from "./desktop-session.ts";
import type { DesktopToolOptions } from "./desktop-tool-options.ts";
import { toChange } from "./look-at-screen.ts";

const INPUT = z.object({
  key: z
    .string()
    .regex(/^[\w+]+$/, 'must be a key like "Return", "Escape" or "ctrl+s"')
    .max(60)
    .describe('Such as "Return", "Escape", "Down" or "ctrl+s".'),
});

/** As others call keys that X calls otherwise. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  enter: "Return",
  esc: "Escape",
  backspace: "BackSpace",
  del: "Delete",
  arrowup: "Up",
  arrowdown: "Down",
  arrowleft: "Left",
  arrowright: "Right",
  pageup: "Prior",
  pagedown: "Next",
  control: "ctrl",
  cmd: "super",
  meta: "super",
};

export const createKeyTool = ({ desktop }: DesktopToolOptions): AnyTool =>
  defineTool<z.infer<typeof INPUT>, DesktopSession>({
    name: "key",
    description: "Presses a key where the screen has its focus, or several together, such as ctrl+s.",
    input: INPUT,
    effect: "execute",
    resource: desktop,
    execute: ({ key }, context, session) =>
      session.inTurn(async () => {
        const keys = key
          .split("+")
          .map((name) => OTHER_NAMES[name.toLowerCase()] ?? name)
          .join("+");
        const { hasChanged } = await session.act(async () => {
          const said = await session.xdotool(["key", "--clearmodifiers", "--", keys]);
          if (said.includes("No such key"))
            throw new RetinueError("tool_failed", `There is no key ${key}, so that nothing was pressed.`);
        }, context.signal);
        return `Pressed ${key}. ${toChange(hasChanged)}`;
      }),
  });
