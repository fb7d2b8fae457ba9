/** Many trials, one after the other, or every second or third of them, until all calls are made or something is found, which is then told by as few calls as show it. */
import type { Finding } from "./finding.ts";
import { toLine } from "./finding.ts";
import type { Listeners } from "./listeners.ts";
import { startListeners } from "./listeners.ts";
import type { Theme } from "./grammar/commands.ts";
import type { TrialKind, TrialPlan } from "./plan-trial.ts";
import { planTrial } from "./plan-trial.ts";
import { runTrial } from "./run-trial.ts";
import { shortenCalls } from "./shorten-calls.ts";

export type AttackOptions = {
  readonly seed: number;
  readonly calls: number;
  readonly callsPerTrial?: number;
  /** How often a trial that found something is run again to find the calls that matter. */
  readonly mostReruns?: number;
  /** Only these trials. */
  readonly kind?: TrialKind;
  readonly theme?: Theme;
  /** Of several processes that share the trials, which one this is. */
  readonly part?: { readonly index: number; readonly count: number };
  /** Told what each call was answered. */
  readonly onAnswer?: (line: string) => void;
  /** Told after each trial how many calls were made. */
  readonly onProgress?: (calls: number) => void;
};

export type AttackOutcome = {
  readonly calls: number;
  readonly found: readonly Finding[];
  /** The trial that found it, with no more calls than are needed. */
  readonly shortest: TrialPlan | undefined;
};

const WHOLE = { index: 0, count: 1 };
const CALLS_PER_TRIAL = 50;
const MOST_RERUNS = 30;

export const runAttack = async (options: AttackOptions): Promise<AttackOutcome> => {
  const { seed, calls, callsPerTrial = CALLS_PER_TRIAL, mostReruns = MOST_RERUNS, part = WHOLE, onAnswer } = options;
  const listeners = await startListeners();
  try {
    let done = 0;
    for (let trial = part.index; done < calls; trial += part.count) {
      const { kind, theme } = options;
      const count = Math.min(callsPerTrial, calls - done);
      const plan = planTrial({ seed: seed * 100_000 + trial, calls: count, kind, theme });
      const found = await runTrial(plan, { listeners, ...(onAnswer === undefined ? {} : { onAnswer }) });
      done += count;
      options.onProgress?.(done);
      if (found.length > 0) return { calls: done, found, shortest: await shorten(plan, { found, listeners, mostReruns }) };
    }
    return { calls: done, found: [], shortest: undefined };
  } finally {
    listeners.close();
  }
};

type Shorten = { readonly found: readonly Finding[]; readonly listeners: Listeners; readonly mostReruns: number };

const shorten = async (plan: TrialPlan, { found, listeners, mostReruns }: Shorten): Promise<TrialPlan> => {
  const kinds = new Set(found.map(({ kind }) => kind));
  const afterCalls = found.find((finding) => finding.afterCalls !== undefined)?.afterCalls;
  const calls = await shortenCalls(plan.calls, {
    mostTries: mostReruns,
    // What was seen while it ran needs nothing that came after.
    likely: afterCalls === undefined ? undefined : afterCalls + 1,
    stillFinds: async (fewer) => (await runTrial({ ...plan, calls: fewer }, { listeners })).some(({ kind }) => kinds.has(kind)),
  });
  return { ...plan, calls };
};

export const describeOutcome = ({ found, shortest }: AttackOutcome): string =>
  [
    ...[...new Set(found.map(toLine))].slice(0, 10),
    ...(shortest === undefined
      ? []
      : [
          `Shown by ${shortest.calls.length} call(s) in a ${shortest.kind} trial (seed ${shortest.seed}):`,
          ...shortest.calls.map((call) => `  ${JSON.stringify(call)}`),
          ...(shortest.beside.length === 0
            ? []
            : ["while this ran beside it:", ...shortest.beside.map((call) => `  ${JSON.stringify(call)}`)]),
        ]),
  ].join("\n");
