/** `type`: types text where the screen has its focus. A secret is named, and its value reaches no list of processes. */
import { RetinueError } from "@retinue/protocol";
import type { AnyTool } from "@retinue/runtime";
import { defineTool, SECRET_REFERENCE, secretNamesIn } from "@retinue/runtime";
import { z } from "zod";
import type { DesktopSession } from "./desktop-session.ts";
import type { DesktopToolOptions } from "./desktop-tool-options.ts";
import { toChange } from "./look-at-screen.ts";

const INPUT = z.object({ text: z.string().min(1).max(10_000).describe("{{secret:NAME}} stands for a secret.") });

export const createTypeTool = ({ desktop, secrets }: DesktopToolOptions): AnyTool =>
  defineTool<z.infer<typeof INPUT>, DesktopSession>({
    name: "type",
    description: "Types text where the screen has its focus. A line break is Enter.",
    input: INPUT,
    effect: "execute",
    resource: desktop,
    touches: ({ text }) => ({ secrets: secretNamesIn(text) }),
    execute: ({ text }, context, session) =>
      session.inTurn(async () => {
        const values = secrets();
        const value = text.replaceAll(SECRET_REFERENCE, (_reference, name: string) => {
          const found = session.secrets.get(name) ?? values.get(name);
          if (found === undefined)
            throw new RetinueError("tool_failed", `There is no secret ${name}, so that nothing was typed.`);
          return found;
        });
        const { hasChanged } = await session.act(
          () => session.xdotool(["type", "--clearmodifiers", "--delay", "8", "--file", "-"], value),
          context.signal,
        );
        return `Typed ${JSON.stringify(text)}. ${toChange(hasChanged)}`;
      }),
  });
