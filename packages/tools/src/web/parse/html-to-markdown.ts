/** A page as a reader would see it, in Markdown: the article where there is one, else all that is neither hidden nor machinery. */
import { Readability } from "@mozilla/readability";
import TurndownService from "turndown";
import { gfm } from "turndown-plugin-gfm";
import { htmlToText, measureHtml } from "./html-to-text.ts";
import type { PageElement, PageTree } from "./page-tree.ts";
import { depthOf, parsePage } from "./page-tree.ts";

export type HtmlReading = {
  readonly title: string | undefined;
  readonly text: string;
  /** True when the page was too deep or too large for more than its bare words. */
  readonly bare: boolean;
};

export type HtmlOptions = { readonly html: string; readonly url: string; readonly format: "markdown" | "text" };

/** Finding the article takes time that grows with the square of the depth and beyond; pages that people write stay below 60. */
const MAX_DEPTH = 200;
const MAX_ANGLES = 150_000;

/** An article with fewer letters than this beside a page with many more is a wrong guess. */
const MIN_ARTICLE_CHARS = 250;

export const htmlToMarkdown = ({ html, url, format }: HtmlOptions): HtmlReading => {
  const { angles, depth } = measureHtml(html);
  if (depth > MAX_DEPTH || angles > MAX_ANGLES) return { title: toTitle(html), text: htmlToText(html), bare: true };
  const document = parsePage(html);
  const title = document.title.trim() || undefined;
  if (depthOf(document.documentElement) > MAX_DEPTH) return { title, text: htmlToText(html), bare: true };
  resolveLinks(document, url);
  const content = toArticle(document) ?? toBody(document);
  return {
    title,
    text: format === "text" ? htmlToText(content) : createTurndown().turndown(content).trim(),
    bare: false,
  };
};

const toTitle = (html: string): string | undefined => {
  const title = htmlToText(/<title[^>]{0,200}>([^<]{1,500})/i.exec(html)?.[1] ?? "");
  return title === "" ? undefined : title;
};

const resolveLinks = (document: PageTree, url: string): void => {
  const base = URL.parse(document.querySelector("base[href]")?.getAttribute("href") ?? "", url) ?? new URL(url);
  for (const [selector, attribute] of [
    ["a[href]", "href"],
    ["img[src]", "src"],
  ] as const)
    for (const element of document.querySelectorAll(selector)) {
      const resolved = URL.parse(element.getAttribute(attribute) ?? "", base.href);
      if (resolved?.protocol === "http:" || resolved?.protocol === "https:" || resolved?.protocol === "mailto:")
        element.setAttribute(attribute, resolved.href);
      else element.removeAttribute(attribute);
    }
};

const toArticle = (document: PageTree): string | undefined => {
  // Readability takes the document apart, so that it is given a copy.
  const article = new Readability(document.cloneNode(true), { keepClasses: true }).parse();
  const letters = article?.textContent?.trim().length ?? 0;
  if (article?.content == null || letters === 0) return undefined;
  const isWrongGuess = letters < MIN_ARTICLE_CHARS && htmlToText(document.body.innerHTML).length > 3 * letters;
  return isWrongGuess ? undefined : article.content;
};

const UNSEEN =
  'script, style, noscript, template, svg, math, iframe, object, embed, link, meta, [hidden], [aria-hidden="true"], ' +
  '[style*="display:none"], [style*="display: none"], [style*="visibility:hidden"], [style*="visibility: hidden"]';

const toBody = (document: PageTree): string => {
  for (const element of document.querySelectorAll(UNSEEN)) element.remove();
  return document.body.innerHTML;
};

const createTurndown = (): TurndownService => {
  const turndown = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    hr: "---",
    emDelimiter: "*",
  });
  turndown.use(gfm);
  // A reader of text wants `a_b`, not what a renderer would need to show it.
  turndown.escape = (text) => text;
  turndown.remove(["script", "style", "noscript", "template", "iframe", "object"]);
  // A picture is worth its description; without one it says nothing to a reader of text.
  turndown.addRule("picture", {
    filter: "img",
    replacement: (_content, node) => {
      const described =
        (node as unknown as PageElement)
          .getAttribute("alt")
          ?.replaceAll(/[\s[\]]+/g, " ")
          .trim() ?? "";
      const source = (node as unknown as PageElement).getAttribute("src") ?? "";
      return described === "" ? "" : source === "" ? described : `![${described}](${source})`;
    },
  });
  return turndown;
};
