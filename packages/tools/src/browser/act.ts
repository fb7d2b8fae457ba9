/**
 * One act in a browser, from before it until after what it set going is done: finds the element, acts, waits, and tells what changed. An act that changed
 * nothing says so.
 */
import { stripVTControlCharacters } from "node:util";
import { RetinueError } from "@retinue/protocol";
import { formatMarks } from "@retinue/protocol/test-case";
import type { ToolContext, ToolOutput } from "@retinue/runtime";
import type { Locator, Page } from "playwright-core";
import type { BrowserSession, DoneAct } from "./browser-session.ts";
import { ACT_MS } from "./browser-session.ts";
import { describeChanges } from "./describe-changes.ts";
import type { ElementInput } from "./element-input.ts";
import { placeAmongLike, readStableAttributes } from "./element-marks.ts";
import { findAgain } from "./find-again.ts";
import type { Wanted } from "./find-element.ts";
import { findElement } from "./find-element.ts";
import type { PageNode, PageTree } from "./page-tree.ts";
import { toLabel } from "./page-tree.ts";
import { settle } from "./settle.ts";
import { findUnreachable, pageUnreachable } from "./unreachable.ts";

export type FoundElement = { readonly node: PageNode; readonly locator: Locator };

export type Acting = {
  readonly session: BrowserSession;
  readonly page: Page;
  readonly find: (input: ElementInput, wanted?: Wanted) => Promise<FoundElement>;
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
    let found: FoundElement | undefined;
    const healed: string[] = [];
    const find: Acting["find"] = async (named, wanted) => {
      const tree = before ?? (await session.readTree());
      const known = session.knownElements(named);
      const again = known.length === 0 ? undefined : await findAgain({ page, tree, known, mayHeal: session.mayHeal });
      if (again?.healed !== undefined) healed.push(again.healed);
      const node = again?.node ?? findElement(tree, named, wanted);
      const first = { node, locator: again?.locator ?? page.getByRef(node.ref ?? "") };
      found ??= first;
      return first;
    };
    let said: string;
    let locator: string | undefined;
    let element: Described | undefined;
    try {
      const options = { timeout: ACT_MS, signal: context.signal };
      const acting: Acting = {
        session,
        page,
        find: async (...named) => {
          const one = await find(...named);
          if (locator === undefined)
            [locator, element] = await Promise.all([describeLocator(one.locator), describeElement(one, before)]);
          return one;
        },
        options,
        tree: before,
      };
      said = await act(acting);
    } catch (thrown) {
      throw toActError(thrown, found?.node);
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
export const toActError = (thrown: unknown, node: PageNode | undefined): unknown => {
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
    return new RetinueError("tool_failed", `${what} was not ready within ${ACT_MS / 1000} s, so that nothing was done.`, {
      hint: "Take a browser_snapshot to see how the page is now.",
    });
  const [line = "it failed"] = text.split("\n");
  return new RetinueError("tool_failed", `${what}: ${line.replace(/^\w+\.\w+: /, "")}`);
};
