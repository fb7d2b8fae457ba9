/** The arguments of `npm run sweep`. */
import { parseArgs } from "node:util";
import type { Form } from "./forms/form.ts";

export type SweepArguments = { readonly full: boolean; readonly seed: number; readonly forms: readonly Form[] };

const SEED = 20_261_115;

export const parseSweepArguments = (
  args: readonly string[],
  all: readonly Form[],
): SweepArguments | { readonly problem: string } => {
  const usage = `Usage: npm run sweep -- [--full] [--seed NUMBER] [--only NAME]…\n${all.map(({ name, about }) => `  ${name.padEnd(11)} ${about}`).join("\n")}`;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        full: { type: "boolean", default: false },
        seed: { type: "string", default: String(SEED) },
        only: { type: "string", multiple: true, default: [] },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) return { problem: usage };
    const unknown = values.only.filter((name) => !all.some((form) => form.name === name));
    if (unknown.length > 0) return { problem: `There is no sweep ${unknown.join(", ")}.\n${usage}` };
    const seed = Number(values.seed);
    if (!Number.isSafeInteger(seed)) return { problem: `The seed ${values.seed} is no whole number.\n${usage}` };
    const forms = values.only.length === 0 ? all : all.filter(({ name }) => values.only.includes(name));
    return { full: values.full, seed, forms };
  } catch (thrown) {
    return { problem: `${thrown instanceof Error ? thrown.message : String(thrown)}\n${usage}` };
  }
};
