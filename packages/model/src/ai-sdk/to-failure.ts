/** What AI SDK providers throw or stream as errors, as failures with codes of ours. Told by shape, since every copy of the SDK brings its own classes. */
import { RetinueError } from "@retinue/protocol";
import type { ErrorCode } from "@retinue/protocol";
import type { Endpoint } from "../transport/endpoint.ts";
import { toFailure } from "../transport/failure.ts";
import type { Failure } from "../transport/failure.ts";
import { toHttpFailure, toInStreamFailure } from "../transport/provider-error.ts";
import { toExcerpt } from "../transport/redact.ts";
import { readRetryAfterMs } from "../transport/retry-after.ts";
import { toSocketFailure } from "../transport/socket-error.ts";

type Shape = Readonly<Record<string, unknown>>;

export type AiSdkErrorContext = {
  /** The stream had begun. */
  readonly answering: boolean;
  /** Milliseconds since 1970, to read dates that servers send. */
  readonly nowDate: number;
};

export const toAiSdkFailure = (endpoint: Endpoint, thrown: unknown, { answering, nowDate }: AiSdkErrorContext): Failure => {
  if (thrown instanceof RetinueError) return { type: "failure", error: thrown, retry: "no", refusal: false };
  const shape: Shape = isShape(thrown) ? thrown : {};
  const message = typeof shape["message"] === "string" ? shape["message"] : String(thrown);
  const status = typeof shape["statusCode"] === "number" ? shape["statusCode"] : 0;
  const body = typeof shape["responseBody"] === "string" ? shape["responseBody"] : "";
  if (status >= 300 && answering) return toInStreamFailure(endpoint, { error: { code: status, type: shape["type"], message } });
  if (status >= 300) {
    const headers = isShape(shape["responseHeaders"]) ? (shape["responseHeaders"] as Record<string, string>) : {};
    return toHttpFailure(endpoint, {
      // Google answers 400 to a key it does not know.
      status: status === 400 && /API_KEY_INVALID|API key not valid/.test(body) ? 401 : status,
      body: body === "" ? message : body,
      retryAfterMs: readRetryAfterMs(headers, nowDate) ?? readRetryDelayMs(body),
    });
  }
  const known = BY_NAME[String(shape["name"])];
  if (known) return toFailure(endpoint, known, `${HAPPENED[known] ?? "failed"}: ${toExcerpt(endpoint.redact(message))}`);
  const socket = findCoded(thrown);
  if (socket) return toSocketFailure(endpoint, socket, answering || status === 200);
  if (answering || status === 200)
    return toFailure(endpoint, "model_stream_incomplete", `broke off its answer: ${toExcerpt(endpoint.redact(message))}`);
  if (isNoError(thrown)) return toInStreamFailure(endpoint, thrown);
  return toFailure(endpoint, "model_bad_request", `could not be asked: ${toExcerpt(endpoint.redact(message))}`);
};

const BY_NAME: Readonly<Record<string, ErrorCode>> = {
  AI_JSONParseError: "model_stream_garbage",
  AI_TypeValidationError: "model_stream_garbage",
  AI_InvalidResponseDataError: "model_stream_garbage",
  AI_EmptyResponseBodyError: "model_stream_incomplete",
  AI_LoadAPIKeyError: "model_auth",
  AI_NoSuchModelError: "model_not_found",
  AI_InvalidPromptError: "model_bad_request",
  AI_InvalidArgumentError: "model_bad_request",
  AI_UnsupportedFunctionalityError: "model_bad_request",
};

const HAPPENED: Partial<Record<ErrorCode, string>> = {
  model_stream_garbage: "sent what is not its protocol",
  model_stream_incomplete: "sent no answer",
  model_auth: "has no key",
  model_not_found: "has no such model",
  model_bad_request: "cannot be asked this",
};

const isShape = (value: unknown): value is Shape => typeof value === "object" && value !== null;

const isNoError = (thrown: unknown): boolean => typeof thrown === "string" || (isShape(thrown) && !(thrown instanceof Error));

/** The error of the socket, however deep it is wrapped: the first that has a code, or the words of an interrupted fetch. */
const findCoded = (thrown: unknown): Error | undefined => {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth++)
    if (typeof (error as { code?: unknown }).code === "string" || error instanceof AggregateError) return error;
  return undefined;
};

/** Google's wait is in the body: `"retryDelay": "34s"`. */
const readRetryDelayMs = (body: string): number | undefined => {
  const [, seconds] = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body) ?? [];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
};
