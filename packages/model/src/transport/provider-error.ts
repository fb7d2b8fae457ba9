/** Errors that providers report, as status and body or inside a stream, as failures with a code of ours. */
import type { ErrorCode } from "@retinue/protocol";
import type { Endpoint } from "./endpoint.ts";
import { toFailure } from "./failure.ts";
import type { Failure, FailureOptions } from "./failure.ts";
import { toExcerpt } from "./redact.ts";

/** Each provider has words of its own for a request that its model cannot hold. */
const OVERFLOW = new RegExp(
  [
    "context[_ -]?(?:length|window|size|limit)",
    "maximum (?:context|prompt length)",
    "(?:prompt|input|request) is too long",
    "prompt exceeds max(?:imum)? length",
    "too many (?:input )?tokens",
    "input token count.{0,40}exceeds",
    "exceeded model token limit",
    "tokens_limit_reached|request (?:body )?too large for",
    "`?inputs`? tokens \\+ `?max_new_tokens",
    "reduce the length",
  ].join("|"),
  "i",
);

/** What a server of one's own says of a model that cannot do what was asked: with 500, though asking again changes nothing. */
const CANNOT =
  /does not support (?:tools|images|vision|thinking)|image input is not supported|generate parser for this template|jinja|unsupported param/i;

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
    const message = textOf(error["message"]) || JSON.stringify(error);
    return { kind, message: `${message}${upstreamOf(error["metadata"])}` };
  }
  const message = textOf(error) || textOf(body["message"]) || textOf(body["detail"]) || JSON.stringify(body);
  return { kind: textOf(body["code"]), message };
};

/** What the provider behind a router said, which is what can be acted on. */
const upstreamOf = (metadata: unknown): string => {
  if (!isRecord(metadata) || metadata["raw"] === undefined) return "";
  const { raw, provider_name: name } = metadata;
  let said: unknown = raw;
  try {
    if (typeof raw === "string") said = JSON.parse(raw);
  } catch {
    // What is not JSON is quoted as it is.
  }
  const { message } = readReported(said);
  return message === "" ? "" : ` (${textOf(name) || "upstream"}: ${message})`;
};

/** The setting that mends a refusal, by its words. */
const HINTS: readonly (readonly [RegExp, (provider: string) => string])[] = [
  [
    /temperature/i,
    () => "The model takes no temperature: remove it from the agent (temperature) or from agents.<name>.temperature.",
  ],
  [
    /does not support tools|tool use|tool_choice|function tools/i,
    () => "The model takes no tools here: choose another by `model`, or `--model`.",
  ],
  [/image|vision/i, () => "The model reads no images: choose one that does, or set `visionModel`."],
  [/max_(?:completion_)?tokens|max_output_tokens/i, () => "Set a smaller `maxOutputTokens` for the agent."],
  [/thinking|reasoning/i, () => "The model does not take this way of thinking: change or remove the setting `thinking`."],
  [
    /schema|function_declarations|input_schema/i,
    () => "A tool's schema is refused: the words name it; leave that tool out by `tools` or `deniedTools`.",
  ],
];

const hintFor = (code: ErrorCode, { message }: Reported, provider: string): string | undefined => {
  if (code === "model_auth")
    return `Check the key in the variable that providers.${provider}.apiKeyEnv names, or the usual one of the provider.`;
  if (code === "model_not_found") return `Check the name of the model, and providers.${provider}.baseUrl.`;
  return code === "model_bad_request" ? HINTS.find(([words]) => words.test(message))?.[1](provider) : undefined;
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
  if (CANNOT.test(words)) return ["model_bad_request", {}];
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
  return toFailure(endpoint, code, said === "" ? `${what}.` : `${what}: ${said}`, {
    hint: hintFor(code, reported, endpoint.provider),
    ...options,
    retryAfterMs,
  });
};

/** `error` is the parsed event. */
export const toInStreamFailure = (endpoint: Endpoint, error: unknown): Failure => {
  const reported = readReported(error);
  const [code, options] = classify(statusOf(reported.kind), reported);
  const kind = reported.kind === "" ? "" : ` (${toExcerpt(endpoint.redact(reported.kind), 80)})`;
  return toFailure(endpoint, code, `sent an error in its stream${kind}: ${toExcerpt(endpoint.redact(reported.message))}`, {
    hint: hintFor(code, reported, endpoint.provider),
    ...options,
  });
};
