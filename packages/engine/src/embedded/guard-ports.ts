/**
 * The functions of code that look at what goes into a run and what comes out of it. A guardrail that throws, or does not answer in time, has
 * refused: what nobody let through does not pass.
 */
import type { GuardedInput, GuardedOutput, Guardrail, Guardrails, UserPart } from "@retinue/protocol";
import type { Clock, GuardPorts, GuardRefusal, HookedEnd, Hooks } from "@retinue/runtime";
import type { ActiveRun } from "./active-run.ts";
import type { Ground } from "./ground.ts";

const MOST_MS = 30_000;

/** Undefined where nothing looks. */
export const guardPortsOf = ({ options, ports, outputParsers }: Ground, { state }: ActiveRun): GuardPorts | undefined => {
  const { runId, depth, agent } = state.identity;
  const definition = options.agents.get(agent);
  const all = [...(depth === 0 ? [options.guardrails] : []), definition?.guardrails];
  const input = listed(all, "input");
  const output = listed(all, "output");
  const parse = outputParsers.get(runId) ?? definition?.parseOutput;
  const end = options.hooks?.end;
  if (input.length === 0 && output.length === 0 && !parse && !end) return undefined;
  return {
    ...(input.length === 0
      ? {}
      : {
          input: (parts, signal) =>
            askAll(input, { agent, run: state.identity, parts, text: textOf(parts) }, { clock: ports.clock, signal }),
        }),
    ...(output.length === 0
      ? {}
      : { output: (said, signal) => askAll(output, { agent, run: state.identity, ...said }, { clock: ports.clock, signal }) }),
    ...(end
      ? { end: (said, signal) => refusalOfEnd(end, { run: state.identity, workspace: state.spec.workspace, ...said }, signal) }
      : {}),
    ...(parse
      ? {
          misfit: async (value) => {
            const parsed = await parse(value);
            return parsed.type === "fits" ? null : parsed.reason;
          },
        }
      : {}),
  };
};

/** A hook that fails has not let the run end. */
const refusalOfEnd = async (end: NonNullable<Hooks["end"]>, ended: HookedEnd, signal: AbortSignal): Promise<string | null> => {
  try {
    return (await end(ended, signal)) ?? null;
  } catch (thrown) {
    if (signal.aborted) return null;
    return `a hook failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
};

type Guarded = { readonly input: GuardedInput; readonly output: GuardedOutput };
type Named<T> = { readonly name: string; readonly ask: Guardrail<T> };

const listed = <On extends keyof Guarded>(all: readonly (Guardrails | undefined)[], on: On): readonly Named<Guarded[On]>[] => {
  const asked = all.flatMap((guardrails) => (guardrails?.[on] ?? []) as readonly Guardrail<Guarded[On]>[]);
  return asked.map((ask, index) => ({ name: ask.name === "" ? `${on} ${index + 1}` : ask.name, ask }));
};

const textOf = (parts: readonly UserPart[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

type Within = { readonly clock: Clock; readonly signal: AbortSignal };

/** The first that refuses; null where all let it pass. */
const askAll = async <T>(guardrails: readonly Named<T>[], guarded: T, within: Within): Promise<GuardRefusal | null> => {
  for (const { name, ask } of guardrails) {
    const reason = await refusalOf(ask, guarded, within);
    if (reason !== null) return { guardrail: name, reason };
  }
  return null;
};

const refusalOf = async <T>(ask: Guardrail<T>, guarded: T, { clock, signal }: Within): Promise<string | null> => {
  const late = Promise.withResolvers<{ readonly refuse: string }>();
  const takeBack = clock.after(MOST_MS, () => late.resolve({ refuse: `it did not answer within ${MOST_MS / 1_000} s` }));
  try {
    const verdict = await Promise.race([Promise.resolve(guarded).then((one) => ask(one, signal)), late.promise]);
    return verdict?.refuse ?? null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } finally {
    takeBack();
  }
};
