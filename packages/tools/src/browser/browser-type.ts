/** `browser_type`: puts text into a field. A secret is named, and its value goes from here into the page and nowhere else. */
import type { AnyTool } from "@retinue/runtime";
import { defineTool, secretNamesIn, totpNamesIn } from "@retinue/runtime";
import { z } from "zod";
import { runAct } from "./act.ts";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";
import { ELEMENT_FIELDS, WAIT_FIELD } from "./element-input.ts";
import { toLabel } from "./page-tree.ts";
import { requireOrigin, toOriginHost } from "./secret-origin.ts";

const INPUT = z.object({
  ...ELEMENT_FIELDS,
  ...WAIT_FIELD,
  text: z
    .string()
    .max(100_000)
    .describe(
      "Takes the place of what is in the field. {{secret:NAME}} stands for a secret, {{totp:NAME}} for its one-time code, {{mail-code:ADDRESS}} for the code of a mail.",
    ),
  slowly: z.boolean().optional().describe("Key by key, for fields that look at every key; adds to what is in the field."),
  origin: z
    .string()
    .max(2_000)
    .optional()
    .describe("For a secret in a frame of another site: the address of that site, like https://pay.example."),
  submit: z.boolean().optional().describe("Press Enter afterwards."),
});

type TypeInput = z.infer<typeof INPUT>;

const namesIn = (text: string): readonly string[] => [...new Set([...secretNamesIn(text), ...totpNamesIn(text)])];

export const createBrowserType = ({ browser, addressOf, secretOrigins }: BrowserToolOptions): AnyTool =>
  defineTool<TypeInput, BrowserSession>({
    name: "browser_type",
    description:
      "Types text into a field of the page and tells what changed. Name the field by ref, by role and name, or by a description.",
    input: INPUT,
    effect: "network",
    resource: browser,
    touches: ({ text, origin }, run) => {
      const secrets = namesIn(text);
      const host = secrets.length === 0 ? undefined : toOriginHost(origin ?? addressOf(run) ?? "");
      return { secrets, ...(host === undefined ? {} : { hosts: [host] }) };
    },
    execute: (input, context, session) =>
      runAct({
        tool: "browser_type",
        input,
        context,
        session,
        act: async ({ find, options }) => {
          const { text, slowly = false, submit = false } = input;
          const { node, locator } = await find(input, "field");
          await requireOrigin({ names: namesIn(text), locator, act: context.act, origins: secretOrigins });
          const value = await session.fill(text, options.signal);
          if (value !== text) session.covered.push(await locator.normalize());
          if (slowly) await locator.pressSequentially(value, options);
          else await locator.fill(value, options);
          if (submit) await locator.press("Enter", options);
          return `Typed ${JSON.stringify(text)} into ${toLabel(node)}${submit ? " and pressed Enter" : ""}.`;
        },
      }),
  });
