/** One look at what the page shows, for the checks that are about elements and the page itself. */
import type { CheckOf, Matcher, Target } from "@retinue/protocol/test-case";
import { describeTarget, isMatch } from "@retinue/protocol/test-case";
import type { Locator, Page } from "playwright-core";
import type { BrowserSession } from "../browser-session.ts";
import { evaluateOn } from "../evaluate-on.ts";
import { textOf, toLine } from "../page-tree.ts";
import { since } from "../session-log.ts";
import type { Seen } from "./seen.ts";
import { matchTree } from "./match-tree.ts";
import { toLocator } from "./target-locator.ts";

type ElementCheck = CheckOf<"text" | "value" | "count" | "visible" | "absent" | "state" | "url" | "title">;

export const lookAtElements = async (session: BrowserSession, check: ElementCheck): Promise<Seen> => {
  const page = await session.page();
  switch (check.check) {
    case "url":
      return told(isMatch(page.url(), check) || isMatch(pathOf(page.url()), check), page.url(), true);
    case "title": {
      const title = await page.title();
      return told(isMatch(title, check), JSON.stringify(title), true);
    }
    case "text":
      return lookAtText(session, page, check);
    case "value":
      return withOne(page, check.of, async (element) => {
        const value = await evaluateOn<string>(element, VALUE);
        return told(isMatch(value, check), JSON.stringify(value), true, await describe(element));
      });
    case "count": {
      const found = toLocator(page, check.of);
      const count = await found.count();
      const { is, atLeast, atMost } = check;
      const holds =
        (is === undefined || count === is) &&
        (atLeast === undefined || count >= atLeast) &&
        (atMost === undefined || count <= atMost);
      return told(holds, `${count}`, true, count > 0 ? await describe(found.first()) : undefined);
    }
    case "visible":
      return lookForVisible(session, page, check);
    case "absent": {
      const found = toLocator(page, check.element);
      const count = await found.count();
      return told(
        count === 0,
        count === 0 ? "it is not there" : `${count} such elements are shown`,
        true,
        count > 0 ? await describe(found.first()) : undefined,
      );
    }
    case "state":
      return withOne(page, check.of, async (element) => {
        const states = await evaluateOn<string[]>(element, STATES);
        return told(states.includes(check.is), states.join(", ") || "none of the states", true, await describe(element));
      });
    default:
      return check satisfies never;
  }
};

const pathOf = (address: string): string => {
  const url = URL.parse(address);
  return url === null ? address : `${url.pathname}${url.search}${url.hash}`;
};

const told = (holds: boolean, observed: string, scoped: boolean, evidence?: string): Seen => ({
  status: holds ? "held" : "failed",
  observed,
  scoped,
  ...(evidence === undefined ? {} : { evidence }),
});

/** An element that is meant must be one: of several nobody knows which. */
const withOne = async (page: Page, target: Target, use: (element: Locator) => Promise<Seen>): Promise<Seen> => {
  const found = toLocator(page, target);
  const count = await found.count();
  if (count === 0) return { status: "failed", observed: `there is no ${describeTarget(target)}`, scoped: true };
  if (count > 1)
    return {
      status: "unknown",
      observed: `${count} elements are ${describeTarget(target)}; which is meant cannot be told`,
      scoped: true,
    };
  return use(found);
};

const lookAtText = async (session: BrowserSession, page: Page, check: CheckOf<"text">): Promise<Seen> => {
  const { in: target, during } = check;
  const now = target
    ? await withOne(page, target, async (element) => {
        const text = await evaluateOn<string>(element, TEXT);
        return told(isMatch(text, check), JSON.stringify(text.slice(0, 500)), true, await describe(element));
      })
    : await lookAtWholePage(page, check);
  if (now.status === "held" || during !== true) return now;
  return wasShown(session, target, check) ?? now;
};

const lookAtWholePage = async (page: Page, matcher: Matcher): Promise<Seen> => {
  const texts = await Promise.all(
    page.frames().map((frame) => frame.evaluate<string>("document.body ? document.body.innerText : ''").catch(() => "")),
  );
  const text = texts.join("\n");
  const wanted = matcher.contains ?? matcher.equals ?? "";
  const at = wanted === "" ? -1 : text.indexOf(wanted);
  const excerpt = at >= 0 ? text.slice(Math.max(0, at - 80), at + wanted.length + 80) : text.slice(0, 300);
  return told(isMatch(text, matcher), JSON.stringify(excerpt), false);
};

/** Something that was announced, or stood in a snapshot, since the step began. */
const wasShown = (session: BrowserSession, target: Target | undefined, matcher: Matcher): Seen | undefined => {
  const { log, stepMark } = session;
  if (!target || target.role === "status" || target.role === "alert") {
    const announced = since(log.announced, stepMark).find(({ text }) => isMatch(text, matcher));
    if (announced)
      return told(true, JSON.stringify(announced.text), target !== undefined, "announced by the page since the step began");
  }
  for (const { tree } of since(log.trees, stepMark).toReversed()) {
    const nodes = target ? matchTree(tree, target) : tree.roots;
    const found = nodes?.find((node) => isMatch(textOf(node), matcher));
    if (found)
      return told(
        true,
        JSON.stringify(textOf(found).slice(0, 500)),
        target !== undefined,
        `- ${toLine(found, false)} (shown since the step began)`,
      );
  }
  return undefined;
};

const lookForVisible = async (
  session: BrowserSession,
  page: Page,
  { element: target, during }: CheckOf<"visible">,
): Promise<Seen> => {
  const found = toLocator(page, target);
  const count = await found.count();
  if (count > 0)
    return told(true, count === 1 ? "it is shown" : `${count} such elements are shown`, true, await describe(found.first()));
  if (during === true)
    for (const { tree } of since(session.log.trees, session.stepMark)) {
      const [node] = matchTree(tree, target) ?? [];
      if (node) return told(true, "it was shown", true, `- ${toLine(node, false)} (shown since the step began)`);
    }
  return told(false, "it is not shown", true);
};

/** Its lines of the snapshot, and where it is. */
const describe = async (element: Locator): Promise<string> => {
  const [lines, box] = await Promise.all([
    element.ariaSnapshot({ timeout: 1_000 }).catch(() => ""),
    element.boundingBox({ timeout: 1_000 }).catch(() => null),
  ]);
  const place = box ? `at ${Math.round(box.x)},${Math.round(box.y)}, ${Math.round(box.width)} × ${Math.round(box.height)}` : "";
  return [lines.slice(0, 1000), place].filter((part) => part !== "").join("\n");
};

const VALUE = `(element) => {
  if (element.type === "password") return element.value === "" ? "" : "••••••";
  if (element.tagName === "SELECT") return [...element.selectedOptions].map((option) => option.label).join(", ");
  return "value" in element && typeof element.value === "string" ? element.value : element.innerText;
}`;

const TEXT = `(element) => (["INPUT", "TEXTAREA"].includes(element.tagName) ? (element.type === "password" ? "" : element.value) : element.innerText ?? element.textContent ?? "")`;

const STATES = `(element) => {
  const flag = (name) => element.getAttribute("aria-" + name);
  const checked = element.checked ?? (flag("checked") === null ? flag("pressed") : flag("checked")) === "true";
  const disabled = element.matches(":disabled") || flag("disabled") === "true";
  const expanded = element.tagName === "DETAILS" ? String(element.open) : flag("expanded");
  return [
    checked ? "checked" : "unchecked",
    disabled ? "disabled" : "enabled",
    ...(element === element.getRootNode().activeElement ? ["focused"] : []),
    ...(element.selected === true || flag("selected") === "true" ? ["selected"] : []),
    ...(expanded === null ? [] : [expanded === "true" ? "expanded" : "collapsed"]),
  ];
}`;
