/** One failed attempt, and what the retries and the gate should make of it. */
import { RetinueError } from "@retinue/protocol";
import type { ErrorCode } from "@retinue/protocol";
import type { Endpoint } from "./endpoint.ts";

export type Failure = {
  readonly type: "failure";
  readonly error: RetinueError;
  /** `once`: a second failure of the same kind is the last. */
  readonly retry: "yes" | "once" | "no";
  /** What the server asked for. */
  readonly retryAfterMs?: number;
  /** The provider refuses whoever comes (429, 529): all its requests pause. */
  readonly refusal: boolean;
};

const RETRY: Partial<Record<ErrorCode, Failure["retry"]>> = {
  model_rate_limited: "yes",
  model_overloaded: "yes",
  model_server_error: "yes",
  model_unreachable: "yes",
  model_stream_stalled: "yes",
  model_stream_incomplete: "yes",
  model_stream_garbage: "once",
};

export type FailureOptions = {
  readonly retry?: Failure["retry"];
  readonly retryAfterMs?: number | undefined;
  readonly refusal?: boolean;
  readonly hint?: string | undefined;
};

/** `happened` goes on after the provider's name and host: "answered 401: …". It is redacted here, whatever it quotes. */
export const toFailure = (endpoint: Endpoint, code: ErrorCode, happened: string, options: FailureOptions = {}): Failure => ({
  type: "failure",
  error: new RetinueError(code, endpoint.redact(`${endpoint.provider} (${endpoint.host}) ${happened}`), {
    ...(options.hint === undefined ? {} : { hint: options.hint }),
    ...(options.retryAfterMs === undefined ? {} : { retryAfterMs: options.retryAfterMs }),
  }),
  retry: options.retry ?? RETRY[code] ?? "no",
  ...(options.retryAfterMs === undefined ? {} : { retryAfterMs: options.retryAfterMs }),
  refusal: options.refusal ?? false,
});
