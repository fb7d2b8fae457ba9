/** `browser_type`: puts text into a field. A secret is named, and its value goes from here into the page and nowhere else. */
import type { AnyTool } from "@retinue/runtime";
import { defineTool, secretNamesIn, totpNamesIn } from "@retinue/runtime";
import { z } from "zod";
import { runAct } from "./act.ts";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";
import { ELEMENT_FIELDS } from "./element-input.ts";
import { toLabel } from "./page-tree.ts";

const INPUT = z.object({
  ...ELEMENT_FIELDS,
  text: z
    .string()
    .max(100_000)
    .describe(
      "Takes the place of what is in the field. {{secret:NAME}} stands for a secret, {{totp:NAME}} for its one-time code, {{mail-code:ADDRESS}} for the code of a mail.",
    ),
  slowly: z.boolean().optional().describe("Key by key, for fields that look at every key; adds to what is in the field."),
  submit: z.boolean().optional().describe("Press Enter afterwards."),
});

type TypeInput = z.infer<typeof INPUT>;

export const createBrowserType = ({ browser }: BrowserToolOptions): AnyTool =>
  defineTool<TypeInput, BrowserSession>({
    name: "browser_type",
    description:
      "Types text into a field of the page and tells what changed. Name the field by ref, by role and name, or by a description.",
    input: INPUT,
    effect: "network",
    resource: browser,
    touches: ({ text }) => ({ secrets: [...new Set([...secretNamesIn(text), ...totpNamesIn(text)])] }),
    execute: (input, context, session) =>
      runAct({
        tool: "browser_type",
        input,
        context,
        session,
        act: async ({ find, options }) => {
          const { text, slowly = false, submit = false } = input;
          const { node, locator } = await find(input, "field");
          const value = await session.fill(text, options.signal);
          if (value !== text) session.covered.push(await locator.normalize());
          if (slowly) await locator.pressSequentially(value, options);
          else await locator.fill(value, options);
          if (submit) await locator.press("Enter", options);
          return `Typed ${JSON.stringify(text)} into ${toLabel(node)}${submit ? " and pressed Enter" : ""}.`;
        },
      }),
  });
