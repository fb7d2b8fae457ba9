/** `browser_snapshot`: what the page shows, as its accessibility tree with references; as much as fits, and the whole as an artifact. */
import type { AnyTool, ToolOutput } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { wrapUntrusted } from "../web/untrusted-text.ts";
import { toMostChars } from "./act.ts";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";
import { ELEMENT_FIELDS, isNamed } from "./element-input.ts";
import { findElement } from "./find-element.ts";
import { toLabel, walk } from "./page-tree.ts";
import { showTree } from "./show-tree.ts";

const INPUT = z.object({
  ...ELEMENT_FIELDS,
  depth: z.number().int().min(0).max(50).optional().describe("How many levels to show."),
  search: z.string().min(1).max(300).optional().describe("Only what contains this text, with where it is."),
});

type SnapshotInput = z.infer<typeof INPUT>;

/** For the marks and the words around it. */
const AROUND = 500;

export const createBrowserSnapshot = ({ browser }: BrowserToolOptions): AnyTool =>
  defineTool<SnapshotInput, BrowserSession>({
    name: "browser_snapshot",
    description:
      "Shows the page as text: roles, names, values and references of its elements. ref, role and name, or description show only that element " +
      "and what is in it; search only what contains a text.",
    input: INPUT,
    effect: "read",
    resource: browser,
    execute: (input, context, session) =>
      session.inTurn(context.scope, async (): Promise<ToolOutput> => {
        const page = await session.page();
        if (page.url() === "about:blank") return "No page is open yet. Open one by browser_navigate.";
        const tree = await session.readTree();
        const scope = isNamed(input) ? findElement(tree, input) : undefined;
        const mostChars = Math.max(1000, toMostChars(context) - AROUND);
        const { text, isWhole, whole } = showTree(scope ? [scope] : tree.roots, {
          mostChars,
          depth: input.depth,
          search: input.search,
        });
        const artifact = isWhole || input.search !== undefined ? undefined : await context.artifacts.write(whole);
        const tabs = session.context.pages().length;
        const notes = [
          ...(tabs > 1 ? [`There are ${tabs} tabs; this is the one that is acted in.`] : []),
          ...(artifact
            ? [
                `This is a part: the whole of ${whole.length} characters is kept as "artifact:${artifact.artifactId}". Narrow it by ref, search or depth.`,
              ]
            : []),
          ...((await hasCanvas(session))
            ? [
                "The page has a canvas, whose content is not in a snapshot: browser_take_screenshot with a question, then browser_click with x and y.",
              ]
            : []),
        ];
        const source = `${tree.title === "" ? "Page" : `Page ${JSON.stringify(tree.title)}`} ${tree.url}${scope ? `, only ${toLabel(scope)}` : ""}, ${countOf(tree)} elements`;
        const content = [{ type: "text" as const, text: [wrapUntrusted({ source, text }), ...notes].join("\n") }];
        return { content, ...(artifact ? { artifact } : {}) };
      }),
  });

const countOf = ({ roots }: Parameters<typeof findElement>[0]): number => {
  let count = 0;
  for (const { role } of walk(roots)) if (role !== "text") count += 1;
  return count;
};

const hasCanvas = async (session: BrowserSession): Promise<boolean> => {
  const page = await session.page();
  return page.evaluate<boolean>(`document.querySelector("canvas") !== null`).catch(() => false);
};
