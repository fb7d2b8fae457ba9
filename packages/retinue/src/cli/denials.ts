/** Acts that were denied because nobody was there to be asked: what each was, who wanted it, and which `--approve` would have allowed it. */
import { type CallView, createSessionView, type RunView, type SessionView } from "@retinue/client";
import type { RunHandle } from "@retinue/engine";
import type { ApproveMode, RetinueEvent, ToolEffect } from "@retinue/protocol";
import { toPrintable } from "../terminal/printable.ts";
import { count } from "./amounts.ts";
import type { Redact } from "./format-error.ts";

export type Denial = { readonly agent: string; readonly call: CallView };

/** A run that continues may have a stricter mode than it was begun with. */
export type ShownRun = RunHandle & { readonly approve?: ApproveMode };

const isDenial = ({ outcome, error }: CallView, run: RunView, mode: ApproveMode | undefined): boolean => {
  if (outcome !== "denied") return false;
  const isReadOnly = mode === "read-only" || run.requested?.spec.grant.approve === "read-only";
  return error?.code === "approval_unavailable" || (error?.code === "act_denied" && isReadOnly);
};

/** Of all runs of the session. */
export const findDenials = ({ runs }: SessionView, mode: ApproveMode | undefined): readonly Denial[] =>
  [...runs.values()].flatMap((run) =>
    [...run.calls.values()].filter((call) => isDenial(call, run, mode)).map((call) => ({ agent: run.agent, call })),
  );

/** The events of a run for one reader, and what was denied in those that have passed. */
export type WatchedRun = Pick<RunHandle, "runId" | "sessionId"> &
  AsyncIterable<RetinueEvent> & { readonly denials: () => readonly Denial[] };

export const watchDenials = (run: ShownRun): WatchedRun => {
  const store = createSessionView(run.sessionId, { isPartial: true, keepsLog: false });
  return {
    runId: run.runId,
    sessionId: run.sessionId,
    async *[Symbol.asyncIterator]() {
      for await (const event of run) {
        store.apply(event);
        yield event;
      }
    },
    denials: () => findDenials(store.view, run.approve),
  };
};

/** Undefined where no mode lets it happen unasked. */
const modeFor = (effect: ToolEffect | undefined, { error }: CallView): "workspace" | "all" | undefined => {
  if (/sandbox/.test(error?.message ?? "")) return undefined;
  return effect === "write" ? "workspace" : "all";
};

const MOST_CHARS = 200;

const whatOf = ({ tool, arguments: given, input }: CallView): string => {
  const text = `${tool} ${given ?? (input === undefined ? "" : JSON.stringify(input))}`;
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
};

export const formatDenials = (
  denials: readonly Denial[],
  effectOf: (tool: string) => ToolEffect | undefined,
  redact: Redact,
): string => {
  if (denials.length === 0) return "";
  const modes = denials.map(({ call }) => modeFor(effectOf(call.tool), call));
  const widest = modes.includes("all") ? "all" : "workspace";
  const lines = denials.map(({ agent, call }, index) => {
    const mode = modes[index];
    const how = mode === undefined ? "only a person at a terminal can allow it" : `--approve ${mode} allows it`;
    return `  ${toPrintable(redact(`${agent}: ${whatOf(call)}`), "line")} (${how})\n`;
  });
  const hint = modes.every((mode) => mode === undefined)
    ? "  hint: run it at a terminal, where you are asked.\n"
    : `  hint: run it again with --approve ${widest}, or at a terminal, where you are asked.\n`;
  return `retinue: ${count(denials.length, "act")} denied: nobody was there to be asked. [approval_unavailable]\n${lines.join("")}${hint}`;
};
