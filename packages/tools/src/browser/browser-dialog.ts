/** `browser_dialog`: says beforehand how dialogs (alert, confirm, prompt) are answered. One that nothing is said of is dismissed, and told. */
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";

const INPUT = z.object({
  answer: z.enum(["accept", "dismiss"]),
  text: z.string().max(1000).optional().describe("What is typed into a prompt."),
  message: z.string().min(1).max(300).optional().describe("Only for dialogs whose text contains it."),
});

type DialogInput = z.infer<typeof INPUT>;

export const createBrowserDialog = ({ browser }: BrowserToolOptions): AnyTool =>
  defineTool<DialogInput, BrowserSession>({
    name: "browser_dialog",
    description:
      "Says how the next dialogs of the page (alert, confirm, prompt) are answered. Call it before what opens the dialog.",
    input: INPUT,
    effect: "read",
    resource: browser,
    execute: ({ answer, text, message }, context, session) =>
      session.inTurn(context.scope, async () => {
        session.answerDialogs({ answer, ...(text === undefined ? {} : { text }), ...(message === undefined ? {} : { message }) });
        return `Dialogs${message === undefined ? "" : ` that contain ${JSON.stringify(message)}`} are ${answer === "accept" ? "accepted" : "dismissed"} from now on.`;
      }),
  });
