/**
 * A secret is typed only where a human saw that it would be: the act names the host of the page, and the frame that holds the field is looked at again
 * before a key is pressed. A page that has moved on, or a frame of another site inside it, gets nothing.
 */
import { toPort } from "@retinue/confine";
import { RetinueError } from "@retinue/protocol";
import type { ProposedAct } from "@retinue/protocol";
import type { Frame, Locator } from "playwright-core";

/** `host:port` as acts and grants name it; undefined for what is no address of the web. */
export const toOriginHost = (address: string): string | undefined => {
  const url = URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) ? `${url.hostname}:${toPort(url)}` : undefined;
};

export type SecretUse = {
  readonly names: readonly string[];
  readonly locator: Locator;
  /** What was judged and allowed. */
  readonly act: Pick<ProposedAct, "hosts"> | undefined;
  /** Origins that a secret is for, by its name; one that is not listed goes where a human lets it. */
  readonly origins: Readonly<Record<string, readonly string[]>>;
};

/** Throws `act_denied` where the field is not of the origin that was allowed, or not of one that the secret is for. */
export const requireOrigin = async ({ names, locator, act, origins }: SecretUse): Promise<void> => {
  if (names.length === 0) return;
  const handle = await locator.elementHandle();
  const frame = await handle?.ownerFrame();
  await handle?.dispose();
  const host = frame ? hostOf(frame) : undefined;
  if (host === undefined) throw refuse(names, "a frame without an address of the web");
  const main = frame?.page().mainFrame();
  const allowed = act?.hosts ?? (main ? [toOriginHost(main.url())] : []);
  if (!allowed.includes(host)) throw refuse(names, host, `allowed was ${allowed.join(", ") || "no page"}`);
  for (const name of names) {
    const own = origins[name];
    if (own !== undefined && !own.some((origin) => toOriginHost(origin) === host))
      throw refuse([name], host, `browser.secretOrigins names ${own.join(", ") || "none"}`);
  }
};

/** A frame that was written by its parent has the parent's origin. */
const hostOf = (frame: Frame): string | undefined => {
  const parent = frame.parentFrame();
  return /^about:(?:blank|srcdoc)/.test(frame.url()) && parent ? hostOf(parent) : toOriginHost(frame.url());
};

const refuse = (names: readonly string[], where: string, why?: string): RetinueError =>
  new RetinueError("act_denied", `${names.join(", ")} is not typed into ${where}${why === undefined ? "" : `: ${why}`}.`, {
    hint: 'Check the page. For a field in a frame of another site, give its address as "origin" and ask again.',
  });
