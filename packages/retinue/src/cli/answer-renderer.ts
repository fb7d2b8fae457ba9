/**
 * The words of the main run as a text that grows: streamed as they come, each once, however often the request was tried.
 * What was printed cannot be taken back, so a text that starts anew goes on where it agrees with what stands there already.
 */
import type { RetinueEvent, RunId } from "@retinue/protocol";
import { createPrintFilter } from "../terminal/printable.ts";
import type { KnownSecret } from "../secrets/create-redactor.ts";
import { createRedactor } from "../secrets/create-redactor.ts";

export type AnswerRenderer = {
  /** What is to be printed now. */
  readonly take: (event: RetinueEvent) => string;
  /** What was printed last does not end in a line break. */
  readonly isMidLine: () => boolean;
  /** The end of the text, with its line break. */
  readonly end: () => string;
};

export type AnswerRendererOptions = { readonly runId: RunId; readonly secrets: readonly KnownSecret[] };

export const createAnswerRenderer = ({ runId, secrets }: AnswerRendererOptions): AnswerRenderer => {
  const redact = createRedactor(secrets).stream();
  const filter = createPrintFilter("prose");
  let step = 0;
  /** What was printed of this step, before it was made safe. */
  let printed = "";
  /** How far the text that started anew agrees with it; undefined while nothing started anew. */
  let agreed: number | undefined;
  let atLineStart = true;

  const send = (text: string): string => {
    const safe = filter.push(redact.push(text));
    if (safe !== "") atLineStart = safe.endsWith("\n");
    return safe;
  };

  const breakLine = (): string => {
    const rest = filter.push(redact.end()) + filter.end();
    if (rest !== "") atLineStart = rest.endsWith("\n");
    if (atLineStart) return rest;
    atLineStart = true;
    return `${rest}\n`;
  };

  const append = (text: string): string => {
    printed += text;
    return send(text);
  };

  const restart = (text: string): string => {
    agreed = undefined;
    const line = breakLine();
    printed = text;
    return line + send(text);
  };

  const takeText = (text: string): string => {
    if (agreed === undefined) return append(text);
    const known = printed.slice(agreed, agreed + text.length);
    if (!text.startsWith(known)) return restart(printed.slice(0, agreed) + text);
    agreed += known.length;
    if (agreed < printed.length) return "";
    agreed = undefined;
    return append(text.slice(known.length));
  };

  /** The closing event has the whole text; what the live ones left out is made up for. */
  const takeWhole = (text: string): string => {
    agreed = undefined;
    return text.startsWith(printed) ? append(text.slice(printed.length)) : restart(text);
  };

  return {
    take: (event) => {
      if (event.runId !== runId) return "";
      if (event.type === "model.requested" && event.step !== step) {
        step = event.step;
        printed = "";
        agreed = undefined;
        return breakLine();
      }
      if (event.type === "model.requested" || event.type === "model.retrying") {
        agreed = printed === "" ? undefined : 0;
        return "";
      }
      if (event.type === "model.delta" && event.kind === "text") return takeText(event.text);
      if (event.type !== "model.answered") return "";
      return takeWhole(event.content.map((part) => (part.type === "text" ? part.text : "")).join(""));
    },
    isMidLine: () => !atLineStart,
    end: breakLine,
  };
};
