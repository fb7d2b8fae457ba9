/** `browser_select`: chooses options of a list. */
import { setTimeout as sleep } from "node:timers/promises";
import { RetinueError } from "@retinue/protocol";
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import type { Locator } from "playwright-core";
import { z } from "zod";
import type { Acting } from "./act.ts";
import { runAct } from "./act.ts";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";
import { ELEMENT_FIELDS, WAIT_FIELD } from "./element-input.ts";
import { evaluateOn } from "./evaluate-on.ts";
import { toLabel } from "./page-tree.ts";

const INPUT = z.object({
  ...ELEMENT_FIELDS,
  ...WAIT_FIELD,
  values: z
    .array(z.string().max(1000))
    .min(1)
    .max(100)
    .describe("Labels or values of the options; several for a list that takes several."),
});

type SelectInput = z.infer<typeof INPUT>;

export const createBrowserSelect = ({ browser }: BrowserToolOptions): AnyTool =>
  defineTool<SelectInput, BrowserSession>({
    name: "browser_select",
    description: "Chooses options of a select element by their labels or values and tells what changed.",
    input: INPUT,
    effect: "network",
    resource: browser,
    execute: (input, context, session) =>
      runAct({
        tool: "browser_select",
        input,
        context,
        session,
        act: async ({ find, options }) => {
          const { node, locator } = await find(input, "field");
          const isSelect = await evaluateOn<boolean>(locator, `(element) => element.tagName === "SELECT"`);
          if (!isSelect)
            throw new RetinueError("tool_failed", `${toLabel(node)} is no select element, so that nothing was chosen.`, {
              hint: "Click it, then click the option that it shows.",
            });
          const { known, missing } = await waitForOptions(locator, input.values, options);
          if (missing !== undefined)
            throw new RetinueError(
              "tool_failed",
              `${toLabel(node)} has no option ${JSON.stringify(missing)}, so that nothing was chosen.`,
              {
                hint: `It has: ${[...new Set(known)].slice(0, 30).join(", ")}.`,
              },
            );
          await locator.selectOption([...input.values], options);
          return `Chose ${input.values.map((value) => JSON.stringify(value)).join(", ")} in ${toLabel(node)}.`;
        },
      }),
  });

type Options = { readonly known: readonly string[]; readonly missing: string | undefined };

const LOOK_MS = 150;

/** Lists are often filled by a request of their own. */
const waitForOptions = async (
  locator: Locator,
  values: readonly string[],
  { timeout, signal }: Acting["options"],
): Promise<Options> => {
  const until = performance.now() + timeout;
  for (;;) {
    const known = await evaluateOn<string[]>(
      locator,
      `(element) => [...element.options].flatMap((option) => [option.label, option.value])`,
    );
    const missing = values.find((value) => !known.includes(value));
    if (missing === undefined || performance.now() >= until) return { known, missing };
    await sleep(LOOK_MS, undefined, { signal });
  }
};
