/** What a call is given while it runs, whether the model or we ourselves made it. */
import type { CallId, ProposedAct } from "@retinue/protocol";
import { outputChars } from "../context/shorten.ts";
import { workMs } from "../limits/allowance.ts";
import type { LiveRun } from "./live-run.ts";
import { createLook } from "./look.ts";
import type { CallContext } from "./tool.ts";

/** What a human said to a call: the act that they allowed, and their words where it asked for them. */
export type Allowed = { readonly act?: ProposedAct; readonly answer?: string };

export const toCallContext = (run: LiveRun, callId: CallId, allowed?: Allowed): CallContext => {
  const { state, ports } = run;
  const { durationMs } = state.spec.limits;
  const context: CallContext = {
    callId,
    run: state.identity,
    workspace: state.spec.workspace,
    scope: state.spec.grant,
    onStop: run.onStop,
    artifacts: ports.artifacts,
    resources: ports.resources,
    timeLeftMs: () => (durationMs === undefined ? Infinity : Math.max(0, workMs(durationMs) - run.watch.activeMs())),
    conduct: run.conduct,
    mostChars: outputChars(state.spec.limits, state.turn?.calls.size ?? 1),
    look: createLook(run),
    progress: (text) => run.show({ type: "tool.progress", callId, text }),
  };
  return allowed === undefined ? context : { ...context, ...allowed };
};
