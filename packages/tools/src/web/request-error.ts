/** What a connection says when it fails, as a sentence for a model. Nothing that a server sent and no header of ours stands in it. */
import { RetinueError } from "@retinue/protocol";
import { codeOf } from "@retinue/confine";
import { toHost } from "@retinue/confine";

const SENTENCES: Record<string, string> = {
  ECONNREFUSED: "refuses the connection",
  ECONNRESET: "broke the connection off",
  EHOSTUNREACH: "cannot be reached",
  ENETUNREACH: "cannot be reached from this network",
  EPIPE: "broke the connection off",
  ETIMEDOUT: "does not answer",
  UND_ERR_CONNECT_TIMEOUT: "does not answer",
  UND_ERR_HEADERS_TIMEOUT: "does not answer",
  UND_ERR_BODY_TIMEOUT: "stopped in the middle of its answer",
  UND_ERR_SOCKET: "broke the connection off",
  UND_ERR_HEADERS_OVERFLOW: "answers with headers that are too large",
  CERT_HAS_EXPIRED: "shows a certificate that has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "shows a certificate that nobody vouches for",
  SELF_SIGNED_CERT_IN_CHAIN: "shows a certificate that nobody vouches for",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "shows a certificate that nobody vouches for",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "shows a certificate that nobody vouches for",
  HTTPParserError: "does not speak HTTP",
  ERR_TLS_CERT_ALTNAME_INVALID: "shows the certificate of another host",
};

/** What is ours already, and what an abort brought, comes back as it is. */
export const toRequestError = (thrown: unknown, { url, signal }: { url: URL; signal: AbortSignal }): unknown => {
  if (signal.aborted) return signal.reason;
  if (thrown instanceof RetinueError) return thrown;
  const code = codeOf(thrown) ?? causeCodeOf(thrown) ?? (thrown instanceof Error ? thrown.name : "unknown failure");
  const sentence = SENTENCES[code] ?? (code.startsWith("HPE_") ? SENTENCES["HTTPParserError"] : undefined);
  return new RetinueError("tool_failed", `${toHost(url)} ${sentence ?? `cannot be fetched (${code})`}.`, {
    hint: "Check the address, or try another source.",
    cause: thrown,
  });
};

/** Attempts at several addresses fail together, each with its code. */
const causeCodeOf = (thrown: unknown): string | undefined => {
  if (thrown instanceof AggregateError) return thrown.errors.map(codeOf).find((code) => code !== undefined);
  return thrown instanceof Error ? codeOf(thrown.cause) : undefined;
};
