/** What the mock server is told to answer: a whole answer, and at most one way of failing to deliver it. */
import type { FinishReason, Json, Usage } from "@retinue/protocol";

export type MockToolCall = {
  readonly name: string;
  /** Sent as it is; need not be JSON. */
  readonly arguments: string;
  /** Absent: made up and unique. Null: none is sent. */
  readonly id?: string | null;
};

export type MockFault =
  /** An HTTP status instead of a stream. Without a body, the provider's usual one. */
  | {
      readonly type: "status";
      readonly status: number;
      readonly body?: Json;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The request is read and nothing ever comes back, not even headers. */
  | { readonly type: "stall-before-headers" }
  /** Headers and so many bytes of the body, then silence on an open socket. */
  | { readonly type: "stall"; readonly afterBytes: number }
  /** A clean end of the response after so many bytes; by default just before the events that end the answer. */
  | { readonly type: "end"; readonly afterBytes?: number }
  /** The socket is destroyed after so many bytes of the body; by default before the events that end the answer. */
  | { readonly type: "destroy"; readonly afterBytes?: number }
  /** The whole answer, then silence on an open socket. */
  | { readonly type: "linger" }
  | { readonly type: "html" }
  /** The answer as one JSON document, as if no stream had been asked for. */
  | { readonly type: "json" }
  /** A line that is no SSE, in the middle of the stream. */
  | { readonly type: "garbage-line"; readonly line?: string }
  /** An event of that many bytes (17 MiB) in the middle of the stream. */
  | { readonly type: "huge-event"; readonly bytes?: number }
  /** An error event instead of the events that end the answer. `kind` is the provider's name for the error. */
  | { readonly type: "error-event"; readonly kind: string; readonly message: string };

export type MockReply = {
  readonly text?: string;
  readonly reasoning?: string;
  /** The signature of the reasoning, where the protocol has one. */
  readonly signature?: string;
  readonly toolCalls?: readonly MockToolCall[];
  /** By default what the answer calls for: `tool-calls` if there are any, else `stop`. */
  readonly finish?: FinishReason;
  /** Null: the server does not say. By default made up from the sizes. */
  readonly usage?: Usage | null;
  /** Characters a delta; 12 by default. */
  readonly deltaChars?: number;
  /** Bytes a write. By default the whole answer is one write. With 1, every character of several bytes is split. */
  readonly writeBytes?: number;
  /** Wait before the headers. */
  readonly latencyMs?: number;
  readonly lineEnd?: "\n" | "\r\n";
  /** False: OpenAI's `[DONE]` is left out, as some local servers do. */
  readonly doneMarker?: boolean;
  /** The field in which an OpenAI-compatible server streams its reasoning. */
  readonly reasoningField?: "reasoning_content" | "reasoning";
  /** These bytes as body instead of the events of the answer; faults that cut or stall still apply. */
  readonly raw?: string | Uint8Array;
  readonly fault?: MockFault;
};

/** The events of an answer as they stand on the wire, each with its blank line. `ending` closes the answer. */
export type MockEvents = { readonly opening: readonly string[]; readonly ending: readonly string[] };

/** The text cut into pieces of so many characters, surrogate pairs kept whole. */
export const toPieces = (text: string, chars: number): string[] => {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += chars) pieces.push(characters.slice(at, at + chars).join(""));
  return pieces;
};
