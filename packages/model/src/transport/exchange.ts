/**
 * One HTTP exchange with a model's server, from dialling to the end of its stream. It settles exactly once: with the
 * whole answer, or with the failure. One watchdog watches over all of it, the time before the first byte included.
 * Bytes are read where they arrive, without a stream in between; a reader that lags gets what came meanwhile at once.
 */
import { performance } from "node:perf_hooks";
import type { Dispatcher } from "undici";
import type { ModelAnswer, ModelChunk } from "../contract.ts";
import type { Attempt } from "../retry.ts";
import type { Connection, Connections } from "./connections.ts";
import type { Endpoint } from "./endpoint.ts";
import { toFailure } from "./failure.ts";
import type { Failure } from "./failure.ts";
import { toHttpFailure } from "./provider-error.ts";
import { toExcerpt } from "./redact.ts";
import { createLineReader } from "./line-reader.ts";
import { readRetryAfterMs } from "./retry-after.ts";
import { toSocketFailure } from "./socket-error.ts";
import { createSseReader, EVENT_CHARS } from "./sse-reader.ts";
import type { SseFault, SseReader } from "./sse-reader.ts";

/** Turns the events of one protocol into an answer. */
export type AnswerReader = {
  readonly onEvent: (name: string, data: string) => Failure | undefined;
  /** The protocol's own end marker has come; what follows it is not waited for. */
  readonly isEnded: () => boolean;
  /** The answer if it is whole, now that nothing more will come. `rest` is what was left of an event without an end. */
  readonly finish: (rest: string) => ModelAnswer | Failure;
  /** Characters of the answer so far. */
  readonly chars: () => number;
  /** What has come, as an answer that reached its output limit: nothing more is waited for. */
  readonly cut: () => ModelAnswer | Failure;
  /** Reads an answer that came as one JSON document, as if no stream had been asked for. */
  readonly onDocument?: (text: string) => Failure | undefined;
  /** The answer that stands in a refusal, undefined where there is none. */
  readonly fromRefusal?: (body: string) => ModelAnswer | Failure | undefined;
  /** What came since the last time, in the order in which it came. */
  readonly takeDelta: () => ModelChunk | undefined;
};

export type ExchangeOptions = {
  readonly endpoint: Endpoint;
  readonly reader: AnswerReader;
  readonly signal: AbortSignal;
  readonly idleMs: number;
  readonly nowDate: () => number;
  readonly onSettled: (outcome: ModelAnswer | Failure) => void;
};

const MEBIBYTE = 1024 * 1024;
/** No answer is so large; a server that never ends is not followed for ever. */
const STREAM_BYTES = 128 * MEBIBYTE;
/** No model writes a longer answer; one that goes on is cut here. */
export const ANSWER_CHARS = 8 * MEBIBYTE;
const ERROR_BODY_CHARS = 64 * 1024;
/** For so many times the patience with silence, comments count as life: some send them while a model thinks, and some for ever. */
const COMMENT_PATIENCE = 4;
/** How long the rest of a response may take once the answer is whole; then the connection is not worth keeping. */
const DRAIN_MS = 1000;

/** How a stream of events may begin that was cut off in its first line. */
const EVENT_START = /^(?::|data:|event:|id:|retry:)/;

const ABORTED = new Error("The exchange is over.");
const ENDED = "ended";

const onIdle = (exchange: Exchange): void => exchange.onIdle();
const disconnect = (exchange: Exchange): void => exchange.disconnect();

export class Exchange implements Attempt, Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  #connection: Connection | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  readonly #watchdog: NodeJS.Timeout;
  #sse: SseReader<Failure | typeof ENDED> | undefined;
  #status = 0;
  #retryAfterMs: number | undefined;
  #errorBody = "";
  #bytes = 0;
  #sawEvent = false;
  /** Each event is a line. */
  #isLines = false;
  /** The answer as one document; undefined for a stream. */
  #document: string | undefined;
  /** When something was said that is no comment. */
  #spokeAt = performance.now();
  #outcome: ModelAnswer | Failure | undefined;
  #responseOver = false;
  #wake: (() => void) | undefined;

  constructor(connections: Connections, body: string, options: ExchangeOptions) {
    this.#options = options;
    this.#watchdog = setTimeout(onIdle, options.idleMs, this);
    if (options.signal.aborted) {
      this.cancel();
      return;
    }
    options.signal.addEventListener("abort", this, { once: true });
    const { origin, path, headers, way } = options.endpoint;
    this.#connection = connections.take(origin, way);
    this.#connection.send({ path, method: "POST", headers, body }, this);
  }

  take(): ModelChunk | undefined {
    return this.#options.reader.takeDelta();
  }

  outcome(): ModelAnswer | Failure | undefined {
    return this.#outcome;
  }

  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  cancel(): void {
    if (this.#outcome === undefined) {
      this.#settle(toFailure(this.#options.endpoint, "cancelled", "was no longer waited for."));
      this.disconnect();
    } else if (!this.#responseOver) {
      clearTimeout(this.#watchdog);
      setTimeout(disconnect, DRAIN_MS, this).unref();
    }
  }

  /** The signal is aborted. */
  handleEvent(): void {
    this.cancel();
  }

  /** The watchdog. */
  onIdle(): void {
    const { endpoint, idleMs } = this.#options;
    if (this.#outcome === undefined) {
      if (this.#status >= 300) this.#settleHttpError();
      else {
        const when = this.#status === 0 ? "before its answer began" : "in the middle of its answer";
        this.#settle(toFailure(endpoint, "model_stream_stalled", `was silent for ${idleMs} ms ${when}.`));
      }
    }
    this.disconnect();
  }

  /** Destroys the socket unless the response is over. */
  disconnect(): void {
    clearTimeout(this.#watchdog);
    if (!this.#responseOver) this.#controller?.abort(ABORTED);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#outcome !== undefined) controller.abort(ABORTED);
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#watchdog.refresh();
    if (status < 200 || this.#outcome !== undefined) return;
    this.#status = status;
    this.#isLines = /\b(?:x-)?ndjson\b/i.test(String(headers["content-type"]));
    if (status < 300 && /\bjson\b/i.test(String(headers["content-type"])) && this.#options.reader.onDocument) this.#document = "";
    if (status >= 300) this.#retryAfterMs = readRetryAfterMs(headers, this.#options.nowDate());
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#outcome !== undefined) return;
    if (this.#status >= 300) {
      this.#watchdog.refresh();
      this.#errorBody += bytes.toString("utf8");
      if (this.#errorBody.length > ERROR_BODY_CHARS) {
        this.#settleHttpError();
        this.disconnect();
      }
      return;
    }
    if (this.#document !== undefined) {
      this.#watchdog.refresh();
      this.#document += bytes.toString("latin1");
      if (this.#document.length > EVENT_CHARS) {
        this.#settle(this.#toFailure({ type: "too-large" }));
        this.disconnect();
      }
      return;
    }
    this.#bytes += bytes.length;
    const stop = this.#push(bytes);
    const now = performance.now();
    if (this.#sse?.spoke() === true) this.#spokeAt = now;
    if (now - this.#spokeAt <= this.#options.idleMs * COMMENT_PATIENCE) this.#watchdog.refresh();
    if (stop === undefined && this.#options.reader.chars() > ANSWER_CHARS) {
      this.#settle(this.#options.reader.cut());
      this.disconnect();
    } else if (stop === undefined) this.#notify();
    else if (stop === ENDED) this.#settle(this.#options.reader.finish(""));
    else {
      this.#settle(stop.type === "failure" ? stop : this.#toFailure(stop));
      this.disconnect();
    }
  }

  onResponseEnd(): void {
    this.#endResponse();
    if (this.#outcome !== undefined) return;
    if (this.#status >= 300) {
      this.#settleHttpError();
      return;
    }
    if (this.#document !== undefined) {
      this.#settleDocument(Buffer.from(this.#document, "latin1").toString("utf8"));
      return;
    }
    const rest = this.#sse?.rest().trim() ?? "";
    if (this.#sawEvent || rest === "" || EVENT_START.test(rest)) this.#settle(this.#options.reader.finish(rest));
    else this.#settle(this.#toFailure({ type: "garbage", quote: rest }));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#endResponse();
    if (this.#outcome !== undefined) return;
    if (this.#status >= 300) this.#settleHttpError();
    else this.#settle(toSocketFailure(this.#options.endpoint, error, this.#status !== 0));
  }

  #endResponse(): void {
    if (this.#responseOver) return;
    this.#responseOver = true;
    clearTimeout(this.#watchdog);
    this.#connection?.release();
  }

  #push(bytes: Buffer): SseFault | Failure | typeof ENDED | undefined {
    const { endpoint } = this.#options;
    if (this.#bytes > STREAM_BYTES)
      return toFailure(endpoint, "model_event_too_large", `sent more than ${STREAM_BYTES / MEBIBYTE} MiB as one answer.`);
    this.#sse ??= this.#isLines ? createLineReader(this.#onEvent) : createSseReader(this.#onEvent);
    try {
      return this.#sse.push(bytes);
    } catch (thrown) {
      // Thrown here it would pass for a broken socket and be tried again.
      return toFailure(endpoint, "internal", `could not be read: ${String(thrown)}`);
    }
  }

  readonly #onEvent = (name: string, data: string): Failure | typeof ENDED | undefined => {
    this.#sawEvent = true;
    const failure = this.#options.reader.onEvent(name, data);
    return failure ?? (this.#options.reader.isEnded() ? ENDED : undefined);
  };

  #settleDocument(text: string): void {
    const { reader } = this.#options;
    this.#settle(reader.onDocument?.(text) ?? reader.finish(""));
  }

  #settleHttpError(): void {
    const answer = this.#status === 400 ? this.#options.reader.fromRefusal?.(this.#errorBody) : undefined;
    if (answer) {
      this.#settle(answer);
      return;
    }
    const http = { status: this.#status, body: this.#errorBody, retryAfterMs: this.#retryAfterMs };
    this.#settle(toHttpFailure(this.#options.endpoint, http));
  }

  #toFailure(fault: SseFault): Failure {
    const { endpoint } = this.#options;
    if (fault.type === "too-large")
      return toFailure(endpoint, "model_event_too_large", `sent more than ${EVENT_CHARS / MEBIBYTE} MiB as one event.`);
    const quote = toExcerpt(endpoint.redact(fault.quote), 120);
    return toFailure(endpoint, "model_stream_garbage", `answered ${this.#status} with no stream of events: ${quote}`);
  }

  #settle(outcome: ModelAnswer | Failure): void {
    this.#outcome = outcome;
    this.#options.signal.removeEventListener("abort", this);
    this.#options.onSettled(outcome);
    this.#notify();
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
