/** The options of `retinue test`. */
import { RetinueError } from "@retinue/protocol";
import type { SessionOptions } from "../session-options.ts";

export type TestOptions = Omit<SessionOptions, "agent"> & {
  readonly grep?: string;
  readonly tag?: readonly string[];
  readonly shard?: string;
  readonly workers?: string;
  readonly retries?: string;
  readonly env?: string;
  readonly var?: readonly string[];
  readonly junit?: string;
  readonly html?: string;
  readonly json?: boolean;
  readonly rerun?: boolean;
  readonly heal?: string;
  readonly compareFlat?: boolean;
  readonly export?: string;
  readonly out?: string;
  readonly trustApp?: boolean;
  readonly strict?: boolean;
};

/** What may become of an element that is not there any more as it was recorded. */
export const HEAL_MODES = ["off", "report", "save"] as const;
export type HealMode = (typeof HEAL_MODES)[number];

/** Off where a server of CI runs it: a build that mends its own tests is nobody's finding. */
export const toHealMode = ({ heal, rerun }: Pick<TestOptions, "heal" | "rerun">, env: NodeJS.ProcessEnv): HealMode => {
  if (heal === undefined) return isCi(env) ? "off" : "report";
  const mode = HEAL_MODES.find((one) => one === heal);
  if (mode === undefined) throw new RetinueError("usage", `--heal ${heal} is not known; there are ${HEAL_MODES.join(", ")}.`);
  if (rerun !== true)
    throw new RetinueError("usage", "--heal says how recorded acts are done again, and needs --rerun.", {
      hint: `Run retinue test --rerun --heal ${mode}.`,
    });
  return mode;
};

const isCi = ({ CI }: NodeJS.ProcessEnv): boolean => CI !== undefined && !["", "0", "false"].includes(CI.toLowerCase());

export const toCount = (flag: string, text: string | undefined, { least, most }: { least: number; most: number }): number => {
  const value = Number(text ?? least);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RetinueError("usage", `${flag} ${text ?? ""} is no number from ${least} to ${most}.`);
};

export const toVariables = (given: readonly string[] = []): Readonly<Record<string, string>> =>
  Object.fromEntries(
    given.map((one) => {
      const [, name, value] = /^([A-Za-z_][\w.-]*)=(.*)$/s.exec(one) ?? [];
      if (name === undefined || value === undefined)
        throw new RetinueError("usage", `--var ${one} is not name=value, like --var user=ada.`);
      return [name, value];
    }),
  );
