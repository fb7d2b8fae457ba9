/** One look at what went over the network and into the console since the step began. */
import type { CheckOf, Matcher } from "@retinue/protocol/test-case";
import { isMatch } from "@retinue/protocol/test-case";
import type { BrowserSession } from "../browser-session.ts";
import { toText } from "../describe-changes.ts";
import type { LoggedRequest } from "../session-log.ts";
import { since } from "../session-log.ts";
import type { Seen } from "./seen.ts";

type TrafficCheck = CheckOf<"download" | "request" | "console">;

export const lookAtTraffic = (session: BrowserSession, check: TrafficCheck): Promise<Seen> => {
  switch (check.check) {
    case "download":
      return lookAtDownloads(session, check);
    case "request":
      return lookAtRequests(session, check);
    case "console":
      return Promise.resolve(lookAtConsole(session, check));
    default:
      return check satisfies never;
  }
};

const lookAtDownloads = async (
  { log, stepMark }: BrowserSession,
  { name, content, minBytes }: CheckOf<"download">,
): Promise<Seen> => {
  const downloads = since(log.downloads, stepMark);
  if (downloads.length === 0) return { status: "failed", observed: "nothing was downloaded", scoped: true };
  const seen: string[] = [];
  for (const download of downloads) {
    const bytes = await download.bytes.catch(() => undefined);
    const text = bytes === undefined ? undefined : toText(bytes);
    seen.push(`${download.name}, ${bytes === undefined ? "which failed" : `${bytes.byteLength} bytes`}`);
    const holds =
      bytes !== undefined &&
      (name === undefined || isMatch(download.name, name)) &&
      (minBytes === undefined || bytes.byteLength >= minBytes) &&
      (content === undefined || (text !== undefined && isMatch(text, content)));
    if (holds) return { status: "held", observed: seen.at(-1) ?? "", scoped: true, evidence: text?.slice(0, 1000) };
  }
  const last = await downloads.at(-1)?.bytes.catch(() => undefined);
  return { status: "failed", observed: seen.join("; "), scoped: true, evidence: last && toText(last)?.slice(0, 1000) };
};

const lookAtRequests = async ({ log, stepMark }: BrowserSession, check: CheckOf<"request">): Promise<Seen> => {
  const { url, method, status, body, response, count } = check;
  const asked = since(log.requests, stepMark).filter(
    (request) => isAddress(request.url, url) && (method === undefined || request.method === method.toUpperCase()),
  );
  const wanted = status === undefined ? undefined : [status].flat();
  const matching: LoggedRequest[] = [];
  for (const request of asked) {
    if (wanted && (request.status === null || !wanted.includes(request.status))) continue;
    if (body !== undefined && !isMatch(request.request.postData() ?? "", body)) continue;
    if (response !== undefined && !isMatch(await responseText(request), response)) continue;
    matching.push(request);
  }
  const holds = count === undefined ? matching.length > 0 : matching.length === count;
  const shown = (holds && matching.length > 0 ? matching : asked).slice(0, 10).map(toRequestLine);
  const observed = shown.length === 0 ? "there was no such request" : shown.join("; ");
  return { status: holds ? "held" : "failed", observed, scoped: true };
};

const isAddress = (address: string, matcher: Matcher): boolean => {
  const url = URL.parse(address);
  return (
    isMatch(address, matcher) ||
    (url !== null && (isMatch(url.pathname, matcher) || isMatch(`${url.pathname}${url.search}`, matcher)))
  );
};

const toRequestLine = ({ method, url, status, failure }: LoggedRequest): string =>
  `${method} ${url.slice(0, 200)} ${status ?? failure ?? "is under way"}`;

const responseText = async ({ request }: LoggedRequest): Promise<string> => {
  try {
    return (await (await request.response())?.text()) ?? "";
  } catch {
    return "";
  }
};

const lookAtConsole = ({ log, stepMark }: BrowserSession, { errors: most = 0, matching }: CheckOf<"console">): Seen => {
  const errors = since(log.errors, stepMark).filter(({ text }) => matching === undefined || isMatch(text, matching));
  return {
    status: errors.length <= most ? "held" : "failed",
    observed: errors.length === 0 ? "no error" : `${errors.length}: ${errors.map(({ text }) => text.split("\n")[0]).join("; ")}`,
    scoped: true,
  };
};
