/**
 * One act in a browser, from before it until after what it set going is done: finds the element, acts, waits, and tells what changed. An act that changed
 * nothing says so.
 */
import { stripVTControlCharacters } from "node:util";
import { RetinueError, toErrorValue } from "@retinue/protocol";
import { formatMarks } from "@retinue/protocol/test-case";
import type { ToolContext, ToolOutput } from "@retinue/runtime";
import type { Locator, Page } from "playwright-core";
import type { BrowserSession, DoneAct } from "./browser-session.ts";
import { describeChanges } from "./describe-changes.ts";
import type { ElementInput } from "./element-input.ts";
import { placeAmongLike, readStableAttributes } from "./element-marks.ts";
import { findAgain } from "./find-again.ts";
import type { Wanted } from "./find-element.ts";
import { ElementNotFound, findElement } from "./find-element.ts";
import { keepPicture } from "./look-at-page.ts";
import type { PageNode, PageTree } from "./page-tree.ts";
import { toLabel } from "./page-tree.ts";
import { settle } from "./settle.ts";
import { findUnreachable, pageUnreachable } from "./unreachable.ts";
import { waitForElement } from "./wait-for-element.ts";

export type FoundElement = { readonly node: PageNode; readonly locator: Locator };

export type Acting = {
  readonly session: BrowserSession;
  readonly page: Page;
  /** Waits for it. */
  readonly find: (input: ElementInput, wanted?: Wanted) => Promise<FoundElement>;
  /** `timeout`: what is left of the time that the act may wait. */
  readonly options: { readonly timeout: number; readonly signal: AbortSignal };
  /** As it was before the act. */
  readonly tree: PageTree | undefined;
};

export type ActRequest = {
  readonly tool: string;
  readonly input: unknown;
  readonly context: ToolContext;
  readonly session: BrowserSession;
  /** Does it, and says in one line what was done. */
  readonly act: (acting: Acting) => Promise<string>;
};

const DEFAULT_CHARS = 8_000;
/** An act tells what changed; the whole page is what browser_snapshot is for. */
const SHARE = 0.4;

export const toMostChars = ({ mostChars = DEFAULT_CHARS }: Pick<ToolContext, "mostChars">): number => mostChars;

export const runAct = ({ tool, input, context, session, act }: ActRequest): Promise<ToolOutput> =>
  session.inTurn(context.scope, async () => {
    const page = await session.page();
    const isBlank = page.url() === "about:blank";
    const before = isBlank ? undefined : await session.readTree();
    const mark = session.log.mark();
    if (tool !== "browser_wait") session.actedBy(context.run.runId);
    const tabsBefore = session.context.pages().length;
    const waitMs = waitOf(input) ?? session.waitMs;
    const until = performance.now() + waitMs;
    let found: FoundElement | undefined;
    let foundIn = before;
    let isRead = !before;
    const healed: string[] = [];
    const find: Acting["find"] = async (named, wanted) => {
      const known = session.knownElements(named);
      const look = async (mayHeal: boolean): Promise<FoundElement> =>
        waitForElement({
          read: async () => {
            if (isRead) foundIn = await session.readTree();
            isRead = true;
            return foundIn ?? session.readTree();
          },
          until: isBlank ? 0 : until,
          signal: context.signal,
          find: async (tree) => {
            if (known.length === 0) return toFound(page, findElement(tree, named, wanted));
            const again = await findAgain({ page, tree, known, mayHeal });
            if (again.healed !== undefined) healed.push(again.healed);
            return again;
          },
        });
      // What is only late needs no healing.
      const first = await look(false).catch((thrown: unknown) => {
        if (known.length === 0 || !session.mayHeal || context.signal.aborted) throw thrown;
        return look(true);
      });
      found ??= first;
      return first;
    };
    let said: string;
    let locator: string | undefined;
    let element: Described | undefined;
    try {
      const options = {
        get timeout() {
          return Math.max(LEAST_MS, until - performance.now());
        },
        signal: context.signal,
      };
      const acting: Acting = {
        session,
        page,
        find: async (...named) => {
          const one = await find(...named);
          if (locator === undefined)
            [locator, element] = await Promise.all([describeLocator(one.locator), describeElement(one, foundIn)]);
          return one;
        },
        options,
        tree: before,
      };
      said = await act(acting);
    } catch (thrown) {
      if (thrown instanceof ElementNotFound) return await toMissed(thrown, { session, context, waitMs });
      throw toActError(thrown, found?.node, waitMs);
    }
    session.acts.push({ at: session.log.next(), tool, input, locator, element });
    const open = await settle(session, { mark, signal: context.signal });
    const unreachable = findUnreachable(session.log, { mark, page: before?.url ?? page.url() });
    if (unreachable) throw pageUnreachable(unreachable, `${session.mask(said)} Then `);
    const after = await session.readTree();
    const { text } = await describeChanges({
      session,
      mark,
      before,
      after,
      tabsBefore,
      open,
      mostChars: Math.floor(toMostChars(context) * SHARE),
      artifacts: context.artifacts,
    });
    return [
      session.mask(said),
      ...(locator === undefined ? [] : [`Element: ${session.mask(locator)}`]),
      ...(element === undefined ? [] : [session.mask(formatMarks(element))]),
      ...healed.map((one) => `healed: ${one}`),
      text,
    ].join("\n");
  });

/** What was found late still has this long to get ready. */
const LEAST_MS = 1_000;

const waitOf = (input: unknown): number | undefined =>
  typeof input === "object" && input !== null && "waitMs" in input && typeof input.waitMs === "number" ? input.waitMs : undefined;

const toFound = (page: Page, node: PageNode): FoundElement => ({ node, locator: page.getByRef(node.ref ?? "") });

type Missing = { readonly session: BrowserSession; readonly context: ToolContext; readonly waitMs: number };

/** With a picture of what was there instead. */
const toMissed = async (missed: ElementNotFound, { session, context, waitMs }: Missing): Promise<ToolOutput> => {
  const { code, message, hint } = missed;
  const artifact = await keepPicture(session, context.artifacts);
  const lines = [
    `Error (${code}): ${message}${hint === undefined ? "" : ` ${hint}`}`,
    `Waited ${waitMs / 1000} s.${artifact === undefined ? "" : ` Picture of the page: artifact:${artifact.artifactId}.`}`,
  ];
  const text = session.mask(lines.join("\n"));
  return { content: [{ type: "text", text }], error: toErrorValue(missed), ...(artifact === undefined ? {} : { artifact }) };
};

type Described = NonNullable<DoneAct["element"]>;

/** As a test of Playwright would name it. */
const describeLocator = async (locator: Locator): Promise<string | undefined> => {
  try {
    return (await locator.normalize()).toString();
  } catch {
    return undefined;
  }
};

const describeElement = async ({ node, locator }: FoundElement, tree: PageTree | undefined): Promise<Described> => ({
  role: node.role,
  name: node.name,
  attributes: await readStableAttributes(locator),
  place: tree ? placeAmongLike(tree, node) : null,
});

/** The reason in plain words, without the log of what was tried. */
export const toActError = (thrown: unknown, node: PageNode | undefined, waitMs: number): unknown => {
  if (thrown instanceof RetinueError || !(thrown instanceof Error)) return thrown;
  const what = node ? toLabel(node) : "the page";
  const text = stripVTControlCharacters(thrown.message);
  const covered = /(<[^\n]{1,200}) intercepts pointer events/.exec(text)?.[1];
  if (covered !== undefined)
    return new RetinueError("tool_failed", `${what} is covered by ${covered.slice(0, 160)}, so that nothing was done.`, {
      hint: "Close what covers it first, such as a dialog.",
    });
  if (/element is not enabled/.test(text))
    return new RetinueError("tool_failed", `${what} is disabled, so that nothing was done.`);
  if (/element is not (?:visible|stable)/.test(text))
    return new RetinueError("tool_failed", `${what} is not shown or does not stand still, so that nothing was done.`);
  if (thrown.name === "TimeoutError")
    return new RetinueError("tool_failed", `${what} was not ready within ${waitMs / 1000} s, so that nothing was done.`, {
      hint: "Take a browser_snapshot to see how the page is now.",
    });
  const [line = "it failed"] = text.split("\n");
  return new RetinueError("tool_failed", `${what}: ${line.replace(/^\w+\.\w+: /, "")}`);
};
