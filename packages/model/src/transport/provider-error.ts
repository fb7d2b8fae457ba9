/** Errors that providers report, as status and body or inside a stream, as failures with a code of ours. */
import type { ErrorCode } from "@retinue/protocol";
import type { Endpoint } from "./endpoint.ts";
import { toFailure } from "./failure.ts";
import type { Failure, FailureOptions } from "./failure.ts";
import { toExcerpt } from "./redact.ts";

const OVERFLOW =
  /context[_ -]?(?:length|window|size)|maximum context|(?:prompt|input|request) is too long|too many (?:input )?tokens|input token count.{0,40}exceeds|reduce the length/i;

const NO_CREDIT = /insufficient[_ ](?:quota|balance|credits?|funds)|billing|exceeded your current quota|out of credits?/i;

const FILTERED = /content_?filter|content_policy|responsible_?ai/i;

/** A timeout, a gateway whose server is away, and an overloaded provider. Whatever else fails on its side may fail like that for ever. */
const CANNOT_SERVE: ReadonlySet<number> = new Set([408, 502, 503, 504, 520, 521, 522, 523, 524, 529]);

const CREDIT_HINT = "The account has no credit left; add some, or use another model.";

type Reported = { readonly kind: string; readonly message: string };

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;

const textOf = (value: unknown): string => (typeof value === "string" ? value : typeof value === "number" ? String(value) : "");

/** The kind and the words out of any of the shapes in use: `{error: {type, code, message}}`, `{error: "…"}`, `{message}`, `{detail}`. */
export const readReported = (body: unknown): Reported => {
  if (typeof body === "string") return { kind: "", message: body };
  if (Array.isArray(body)) return readReported(body[0]);
  if (!isRecord(body)) return { kind: "", message: "" };
  const { error } = body;
  if (isRecord(error)) {
    const kind = [textOf(error["code"]), textOf(error["type"]), textOf(error["status"])].filter(Boolean).join(" ");
    return { kind, message: textOf(error["message"]) || JSON.stringify(error) };
  }
  const message = textOf(error) || textOf(body["message"]) || textOf(body["detail"]) || JSON.stringify(body);
  return { kind: textOf(body["code"]), message };
};

/** A status for what a stream reports without one; 500 for what has no name we know. */
const statusOf = (kind: string): number => {
  const numeric = /\b[45]\d\d\b/.exec(kind);
  if (numeric) return Number(numeric[0]);
  if (/rate.?limit|too_many_requests|resource_exhausted|quota/i.test(kind)) return 429;
  if (/overloaded/i.test(kind)) return 529;
  if (/authentication|permission|api_key|unauthorized/i.test(kind)) return 401;
  if (/not_found/i.test(kind)) return 404;
  if (/invalid|too_large|bad_request|context_length/i.test(kind)) return 400;
  return 500;
};

const classify = (status: number, { kind, message }: Reported): readonly [ErrorCode, FailureOptions] => {
  const words = `${kind} ${message}`;
  if (status === 401 || status === 403) return ["model_auth", {}];
  if (status === 404) return ["model_not_found", {}];
  if (status === 402 || (status === 429 && NO_CREDIT.test(words)))
    return ["model_rate_limited", { retry: "no", hint: CREDIT_HINT }];
  if (status === 429) return ["model_rate_limited", { refusal: true }];
  if (OVERFLOW.test(words)) return ["model_context_overflow", {}];
  if (status === 400 && FILTERED.test(kind)) return ["model_filtered", {}];
  if (CANNOT_SERVE.has(status)) return ["model_overloaded", { refusal: status === 529 }];
  if (status >= 500) return ["model_server_error", {}];
  if (status >= 300 && status < 400) return ["model_misaddressed", {}];
  return ["model_bad_request", {}];
};

export type HttpError = { readonly status: number; readonly body: string; readonly retryAfterMs: number | undefined };

export const toHttpFailure = (endpoint: Endpoint, { status, body, retryAfterMs }: HttpError): Failure => {
  let parsed: unknown = body;
  try {
    parsed = JSON.parse(body);
  } catch {
    // What is not JSON is quoted as it is.
  }
  const reported = readReported(parsed);
  const [code, options] = classify(status, reported);
  // Redacted before it is cut, so that no half of a key is left at the edge.
  const said = toExcerpt(endpoint.redact(reported.message));
  const what = status >= 300 && status < 400 ? `answered ${status}, a redirect, which is not followed` : `answered ${status}`;
  return toFailure(endpoint, code, said === "" ? `${what}.` : `${what}: ${said}`, { ...options, retryAfterMs });
};

/** `error` is the parsed event. */
export const toInStreamFailure = (endpoint: Endpoint, error: unknown): Failure => {
  const reported = readReported(error);
  const [code, options] = classify(statusOf(reported.kind), reported);
  const kind = reported.kind === "" ? "" : ` (${toExcerpt(endpoint.redact(reported.kind), 80)})`;
  return toFailure(
    endpoint,
    code,
    `sent an error in its stream${kind}: ${toExcerpt(endpoint.redact(reported.message))}`,
    options,
  );
};
