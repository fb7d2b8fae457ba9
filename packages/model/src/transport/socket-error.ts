/** What went wrong below HTTP, as a failure. */
import type { Endpoint } from "./endpoint.ts";
import { toFailure } from "./failure.ts";
import type { Failure } from "./failure.ts";
import { toExcerpt } from "./redact.ts";

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)_|ERR_TLS|ERR_SSL|EPROTO/;

/** Each of these has taken seconds already. */
const SLOW = /^(?:UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN)$/;

const CLOSED = /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/;

/** The innermost code and words; a failed dial of several addresses wraps one error for each. */
const describe = (thrown: unknown): { code: string; message: string } => {
  if (!(thrown instanceof Error)) return { code: "", message: String(thrown) };
  const inner: unknown = thrown instanceof AggregateError ? thrown.errors[0] : undefined;
  const code = (thrown as { code?: unknown }).code;
  return {
    code: typeof code === "string" ? code : "",
    message: thrown.message || (inner instanceof Error ? inner.message : thrown.name),
  };
};

/** `answering`: the headers of an answer had come, so what is missing is its rest. */
export const toSocketFailure = (endpoint: Endpoint, thrown: unknown, answering: boolean): Failure => {
  const { code, message } = describe(thrown);
  const said = toExcerpt(code === "" || message.includes(code) ? message : `${message} (${code})`);
  if (
    code.startsWith("HPE_") ||
    (thrown instanceof Error && thrown.name === "HTTPParserError") ||
    code === "UND_ERR_HEADERS_OVERFLOW"
  )
    return toFailure(endpoint, "model_stream_garbage", `does not speak HTTP: ${said}`);
  if (answering) return toFailure(endpoint, "model_stream_incomplete", `broke off its answer: ${said}`);
  if (CERTIFICATE.test(code))
    return toFailure(endpoint, "model_misaddressed", `could not be reached safely: ${said}`, {
      hint: "Its certificate is not trusted here, or it does not speak TLS; check providers.<name>.baseUrl.",
    });
  const setting = `providers.${endpoint.provider}.baseUrl`;
  if (code === "ECONNREFUSED" && isLoopback(endpoint.host))
    return toFailure(endpoint, "model_unreachable", `refused the connection; is ${setting} right?`, {
      hint: `Nothing listens at ${toAddress(endpoint)}: start the server, or correct ${setting}; \`retinue doctor\` tries it.`,
      // A program that is not started is not there a second later; whoever waits for it says how long.
      retry: "no",
    });
  const what = CLOSED.test(code) ? "closed the connection before it answered" : "could not be reached";
  return toFailure(endpoint, "model_unreachable", `${what}: ${said}`, {
    hint: `Check that ${toAddress(endpoint)} is right (${setting}) and that it runs; \`retinue doctor\` tries it.`,
    ...(SLOW.test(code) && { retry: "no" as const }),
  });
};

const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i.test(host);

/** Without a query, which may hold a key. */
const toAddress = ({ host, origin, path }: Endpoint): string => `${origin || host}${path.replace(/\?.*$/s, "")}`;
