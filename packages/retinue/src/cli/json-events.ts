/**
 * Events as JSON lines for programs. Every line begins with the same fields. Streamed texts pass through a redaction that
 * remembers, so that a secret that comes in pieces is not put together again by the reader.
 */
import type { ErrorValue, EventOf, RetinueEvent } from "@retinue/protocol";
import { toJsonLine } from "../terminal/json-line.ts";
import type { TextFilter } from "../terminal/printable.ts";
import type { KnownSecret } from "../secrets/create-redactor.ts";
import { createRedactor } from "../secrets/create-redactor.ts";

type Delta = EventOf<"model.delta">;

const lineOf = (event: RetinueEvent, redact: (text: string) => string): string => {
  const { type, sessionId, runId, parentRunId, depth, agent, seq, at, ...rest } = event;
  return `${toJsonLine({ type, sessionId, runId, parentRunId, depth, agent, seq, at, ...rest }, redact)}\n`;
};

/** The one line that stands there when no run came about. It has the fields of an event, empty. */
export const toErrorLine = (error: ErrorValue, secrets: readonly KnownSecret[]): string => {
  const nobody = { sessionId: null, runId: null, parentRunId: null, depth: 0, agent: null, seq: 0 };
  return `${toJsonLine({ type: "error", ...nobody, at: new Date().toISOString(), error }, createRedactor(secrets).text)}\n`;
};

/** Gives the lines for each event, none or several. */
export const createJsonEvents = (secrets: readonly KnownSecret[]): ((event: RetinueEvent) => string) => {
  const redactor = createRedactor(secrets);
  const redact = redactor.text;
  const open = new Map<string, { readonly filter: TextFilter; last: Delta }>();

  const takeDelta = (event: Delta): string => {
    const key = `${event.runId} ${event.kind}`;
    const stream = open.get(key) ?? { filter: redactor.stream(), last: event };
    open.set(key, stream);
    stream.last = event;
    const text = stream.filter.push(event.text);
    return text === "" ? "" : lineOf({ ...event, text }, redact);
  };

  const close = (runId: string): string => {
    let lines = "";
    for (const [key, { filter, last }] of open) {
      if (last.runId !== runId) continue;
      const text = filter.end();
      if (text !== "") lines += lineOf({ ...last, text }, redact);
      open.delete(key);
    }
    return lines;
  };

  return (event) => {
    if (event.type === "model.delta") return takeDelta(event);
    const ends =
      event.type === "model.answered" ||
      event.type === "model.retrying" ||
      event.type === "model.failed" ||
      event.type === "run.settled";
    return (ends ? close(event.runId) : "") + lineOf(event, redact);
  };
};
