/** What a run does while every model that it could ask is away. */
import type { ErrorValue } from "@retinue/protocol";
import type { Asker } from "./asker.ts";
import { recordFailure } from "./asker.ts";
import type { Outage, OutageDecision } from "./outage.ts";
import { LeftOpen } from "./parked.ts";
import type { Clock } from "./ports.ts";
import { createTurnDeadline } from "./turn-deadline.ts";

/** Every model of the turn is away: the run waits and begins with the first again, is left open, or fails, as its host decides. */
export const meetOutage = async (asker: Asker, name: string, error: ErrorValue): Promise<null> => {
  const { ports } = asker;
  const now = ports.clock.now();
  const { sinceMs, tries } = (asker.outage = { sinceMs: asker.outage?.sinceMs ?? now, tries: (asker.outage?.tries ?? 0) + 1 });
  const outage = { model: name, error, tries, lastedMs: now - sinceMs, retryAfterMs: error.retryAfterMs };
  const decision = decide(asker, outage);
  switch (decision.type) {
    case "wait":
      return waitForModel(asker, { name, error, tries }, decision);
    case "leave":
      // Whoever looks at the record sees why nothing goes on.
      recordFailure(asker, name, error, asker.state.spec.model);
      await asker.flush();
      throw new LeftOpen(`${toCause(name, error)}: ${error.message}`, {
        hint: `The run is open. ${toRemedy(error)}: retinue sessions resume ${asker.state.identity.sessionId}.`,
        cause: error,
      });
    case "fail":
      return recordFailure(asker, name, error, null);
    default:
      return decision satisfies never;
  }
};

/** Nobody waits for a refused key: it is good again when somebody has changed it. */
const decide = ({ ports }: Asker, outage: Outage): OutageDecision => {
  const decision = ports.outage?.(outage) ?? { type: "fail" };
  return outage.error.code === "model_auth" && decision.type === "wait" ? { type: "leave" } : decision;
};

const toCause = (name: string, { code }: ErrorValue): string => {
  if (code === "model_auth") return `The provider of ${name} refused the key, which it took before`;
  if (code === "model_rate_limited") return `The provider of ${name} refuses requests because of its rate limit`;
  return `${name} cannot be reached`;
};

const toRemedy = ({ code, retryAfterMs }: ErrorValue): string => {
  if (code === "model_auth") return "With a valid key";
  if (retryAfterMs !== undefined) return `In ${Math.ceil(retryAfterMs / 60_000)} min`;
  return "When the server is back (retry.unreachableMs says how long is waited)";
};

type Away = { readonly name: string; readonly error: ErrorValue; readonly tries: number };

/** The wait ends at once when the run is cancelled or has no time left. */
const waitForModel = async (
  asker: Asker,
  { name, error, tries }: Away,
  { waitMs, leftMs }: OutageDecision & { readonly type: "wait" },
): Promise<null> => {
  const { ports, state } = asker;
  const next = state.spec.model;
  recordFailure(asker, name, error, next);
  await asker.flush();
  const giveUpAt = new Date(Date.parse(ports.clock.date()) + leftMs).toISOString();
  const step = state.used.iterations + 1;
  asker.show({ type: "model.retrying", step, model: next, attempt: tries + 1, waitMs, error, giveUpAt });
  if (waitMs === 0) return null;
  const deadline = createTurnDeadline(asker);
  await waitUnlessAborted(ports.clock, waitMs, deadline.signal);
  deadline.takeBack();
  return null;
};

/** Resolves after `ms`, or as soon as the signal is aborted. */
const waitUnlessAborted = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const onAbort = (): void => {
      takeBack();
      resolve();
    };
    const takeBack = clock.after(ms, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
