/**
 * Tells what was not reached from what answered wrongly. That nobody answers at the application's address says nothing about the application, so it has an
 * error code of its own, by which whoever judges a test case knows that nothing was tested.
 */
import { RetinueError } from "@retinue/protocol";
import type { Response } from "playwright-core";
import type { LoggedRequest, SessionLog } from "./session-log.ts";
import { since } from "./session-log.ts";

/** Errors of Chromium that mean that there was no connection, or that it was cut before an answer. */
export const NO_CONNECTION =
  /ERR_(?:CONNECTION_(?:REFUSED|RESET|CLOSED|TIMED_OUT|FAILED)|EMPTY_RESPONSE|NAME_NOT_RESOLVED|ADDRESS_UNREACHABLE|INTERNET_DISCONNECTED|TUNNEL_CONNECTION_FAILED|TIMED_OUT)/;

/** The browser's own proxy answered in place of an application that does not; 403 is what it says where going there is refused. */
export const isProxyAnswer = (response: Response): boolean =>
  response.headers()["proxy-status"] !== undefined && response.status() !== 403;

export type UnreachableOptions = {
  readonly mark: number;
  /** The address of the page that was acted on. */
  readonly page: string;
};

/**
 * A request of the page to its own application that nobody answered since the mark, where none was answered after it. What other hosts do not answer, such as a dead link
 * or a counter of visitors, is what a test may well be about.
 */
export const findUnreachable = (log: SessionLog, { mark, page }: UnreachableOptions): string | null => {
  const origin = URL.parse(page)?.origin;
  const own = since(log.requests, mark).filter(({ url, isDone }) => isDone && URL.parse(url)?.origin === origin);
  const last: LoggedRequest | undefined = own.findLast(({ isUnreachable, status }) => isUnreachable || status !== null);
  if (last?.isUnreachable !== true || since(log.refused, mark).length > 0) return null;
  return last.url;
};

export const pageUnreachable = (address: string, said = "", why = "nothing answers there"): RetinueError =>
  new RetinueError("page_unreachable", `${said}${address} could not be opened: ${why}.`, {
    hint: "Check the address, and whether the application runs.",
  });
