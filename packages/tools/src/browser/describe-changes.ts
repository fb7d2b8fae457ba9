/** What an act changed, in a few lines: the page, tabs, dialogs, downloads, requests, messages, errors, and the difference of the accessibility tree. */
import { formatBytes, toHost } from "@retinue/confine";
import type { Artifacts } from "@retinue/runtime";
import { diffArrays } from "diff";
import { neutralise } from "@retinue/runtime";
import type { BrowserSession } from "./browser-session.ts";
import type { PageTree } from "./page-tree.ts";
import type { LoggedDownload, LoggedRequest } from "./session-log.ts";
import { since } from "./session-log.ts";
import { toLines, toOutline } from "./show-tree.ts";

export type Changes = { readonly text: string; readonly hasChanged: boolean };

export type Compared = {
  readonly session: BrowserSession;
  readonly mark: number;
  readonly before: PageTree | undefined;
  readonly after: PageTree;
  readonly tabsBefore: number;
  readonly open: readonly LoggedRequest[];
  readonly mostChars: number;
  readonly artifacts: Artifacts;
};

const MOST_LISTED = 6;
const MOST_LINE = 160;

export const describeChanges = async (compared: Compared): Promise<Changes> => {
  const { session, mark, before, after, tabsBefore, open, mostChars, artifacts } = compared;
  const { log } = session;
  const isNewPage = before === undefined || stripHash(before.url) !== stripHash(after.url);
  const tabs = session.context.pages().length;
  const requests = since(log.requests, mark).filter(isTelling);
  const happened = [
    ...since(log.crashes, mark).map(({ text }) => text),
    ...(tabs === tabsBefore
      ? []
      : [tabs > tabsBefore ? `A new tab opened; there are ${tabs} and this one is shown.` : `A tab closed; there are ${tabs}.`]),
    ...since(log.dialogs, mark).map(
      ({ kind, message, answer, isUnexpected }) =>
        `Dialog (${kind}) ${JSON.stringify(message.slice(0, 300))}: ${answer === "accept" ? "accepted" : "dismissed"}${isUnexpected ? ", since nobody said how to answer it (browser_dialog)" : ""}.`,
    ),
    ...(await Promise.all(since(log.downloads, mark).map((download) => keepDownload(download, artifacts, session.mask)))),
    ...listed("Requests", requests.map(toRequestLine)),
    ...(open.length === 0
      ? []
      : [
          `Still under way: ${open
            .slice(0, 3)
            .map(({ method, url }) => `${method} ${toPath(url)}`)
            .join(", ")}.`,
        ]),
    ...[...new Set(since(log.announced, mark).map(({ text }) => text))].map((text) => `Message shown: ${JSON.stringify(text)}`),
    ...listed(
      "Errors of the console",
      since(log.errors, mark).map(({ text }) => text.split("\n")[0] ?? ""),
    ),
    ...listed(
      "Refused",
      since(log.refused, mark).map(({ text }) => text),
    ),
  ];
  const difference = isNewPage ? [] : diffTrees(before, after);
  const hasChanged = isNewPage || happened.length > 0 || difference.length > 0;
  const head = `Page: ${after.title === "" ? "(no title)" : after.title} ${after.url}`;
  const told = [head, ...happened].map((line) => cut(session.mask(line)));
  const room = Math.max(400, mostChars - told.join("\n").length - 200);
  if (isNewPage) told.push("On it:", toOutline(after, room));
  else if (difference.length > 0) told.push("Changes of the page:", fit(difference, room));
  else if (!hasChanged) told.push("Nothing changed: no request, no message, no difference of the page.");
  return { text: neutralise(told.join("\n")), hasChanged };
};

const stripHash = (url: string): string => url.replace(/#.*$/, "");

const cut = (line: string): string => (line.length > 4 * MOST_LINE ? `${line.slice(0, 4 * MOST_LINE)}…` : line);

/** What a tester would look at: no pictures, styles and fonts that arrived. */
const isTelling = ({ kind, status, failure }: LoggedRequest): boolean =>
  ["document", "xhr", "fetch", "websocket", "eventsource"].includes(kind) || failure !== null || (status ?? 0) >= 400;

const toRequestLine = ({ method, url, status, failure }: LoggedRequest): string =>
  `${method} ${toPath(url)} ${status ?? failure ?? "…"}`;

/** Without the host, which the page has. */
const toPath = (address: string): string => {
  const url = URL.parse(address);
  return (url === null ? address : `${url.pathname}${url.search}`).slice(0, MOST_LINE);
};

export const hostOf = (address: string): string => {
  const url = URL.parse(address);
  return url === null ? address : toHost(url);
};

const listed = (title: string, lines: readonly string[]): readonly string[] => {
  if (lines.length === 0) return [];
  const more = lines.length > MOST_LISTED ? ` and ${lines.length - MOST_LISTED} more` : "";
  return [`${title}: ${lines.slice(0, MOST_LISTED).join("; ")}${more}`];
};

const MOST_DOWNLOAD = 20_000_000;

const keepDownload = async (
  { name, bytes }: LoggedDownload,
  artifacts: Artifacts,
  mask: BrowserSession["mask"],
): Promise<string> => {
  let data: Uint8Array;
  try {
    data = await bytes;
  } catch (thrown) {
    return `Download ${JSON.stringify(name)} failed: ${thrown instanceof Error ? (thrown.message.split("\n")[0] ?? "") : String(thrown)}`;
  }
  if (data.byteLength > MOST_DOWNLOAD)
    return `Download ${JSON.stringify(name)}: ${formatBytes(data.byteLength)}, too long to be kept.`;
  const text = toText(data);
  const { artifactId } = await artifacts.write(text === undefined ? data : mask(text), "application/octet-stream");
  return `Download ${JSON.stringify(name)}: ${formatBytes(data.byteLength)}, kept as "artifact:${artifactId}".`;
};

/** Undefined for what is no text. */
export const toText = (data: Uint8Array): string | undefined => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(data);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
};

const toPlainLines = (tree: PageTree): string[] => toLines(tree.roots, false).map((line) => line.replace(/ \[active\]/, ""));

/** Lines that went and came, without references, which change without a reason. */
const diffTrees = (before: PageTree, after: PageTree): readonly string[] => {
  const [one, other] = [toPlainLines(before), toPlainLines(after)];
  if (one.length * other.length > 4_000_000) return diffSets(one, other);
  return diffArrays(one, other).flatMap(({ added, removed, value }) =>
    added || removed ? value.map((line) => `${added ? "+" : "-"} ${line.trim().replace(/^- /, "")}`) : [],
  );
};

/** Long pages are compared without their order. */
const diffSets = (one: readonly string[], other: readonly string[]): readonly string[] => {
  const [before, after] = [new Set(one), new Set(other)];
  return [
    ...one.filter((line) => !after.has(line)).map((line) => `- ${line.trim().replace(/^- /, "")}`),
    ...other.filter((line) => !before.has(line)).map((line) => `+ ${line.trim().replace(/^- /, "")}`),
  ];
};

const MOST_CHANGES = 40;

const fit = (lines: readonly string[], mostChars: number): string => {
  const kept: string[] = [];
  let chars = 0;
  for (const line of lines) {
    const short = line.length > MOST_LINE ? `${line.slice(0, MOST_LINE)}…` : line;
    chars += short.length + 1;
    if (chars > mostChars || kept.length >= MOST_CHANGES) break;
    kept.push(short);
  }
  return kept.length === lines.length
    ? kept.join("\n")
    : [...kept, `… ${lines.length - kept.length} more lines differ`].join("\n");
};
