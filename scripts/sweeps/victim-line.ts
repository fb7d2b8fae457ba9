/** What a victim says on its standard output, a line of JSON each, written before it goes on. */
import { writeSync } from "node:fs";
import type { ErrorCode, Message, RecordedEvent, RunResult } from "@retinue/protocol";

/** The calls of a request and their results, in order: what must pair. */
export type PairedPart = { readonly type: "call" | "result"; readonly callId: string } | { readonly type: "other" };

export type VictimLine =
  /** Everything is loaded; from here on it works. */
  | { readonly type: "ready" }
  /** The log has it: it must never be lost again. */
  | { readonly type: "acknowledged"; readonly event: RecordedEvent }
  /** A model call is about to be made: whose, after how many answers of its conversation, and how often that holds what another process said. */
  | {
      readonly type: "requested";
      readonly agent: string;
      readonly answered: number;
      readonly parts: readonly PairedPart[];
      readonly told: number;
    }
  /** The one question that nobody has answered yet, as whoever could answer it sees it. */
  | { readonly type: "parked"; readonly approvalId: string; readonly hash: string }
  | { readonly type: "settled"; readonly result: RunResult }
  /** It could not go on and says so. `code` is null for what is no error of ours. */
  | { readonly type: "stopped"; readonly code: ErrorCode | null; readonly message: string }
  /** How many points its own counter has passed, and how many writes its log was asked for. */
  | { readonly type: "counted"; readonly points: number; readonly writes: number };

export const say = (line: VictimLine): void => {
  writeSync(1, `${JSON.stringify(line)}\n`);
};

/** What was said, without a last line that was cut off. */
export const parseVictimLines = (output: string): readonly VictimLine[] =>
  output
    .slice(0, output.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    // Written by `say` and by nobody else.
    .map((line) => JSON.parse(line) as VictimLine);

export const toPairedParts = (messages: readonly Message[]): readonly PairedPart[] =>
  messages.flatMap((message): readonly PairedPart[] => {
    if (message.role === "tool") return [{ type: "result", callId: message.callId }];
    const calls = message.content.flatMap((part) =>
      part.type === "tool-call" ? [{ type: "call" as const, callId: part.callId }] : [],
    );
    return [{ type: "other" }, ...calls];
  });
