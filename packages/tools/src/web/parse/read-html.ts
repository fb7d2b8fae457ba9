/** An HTML page as Markdown or text. What cannot be parsed within its limits still gives its bare words. */
import { RetinueError } from "@retinue/protocol";
import type { HtmlOptions, HtmlReading } from "./html-to-markdown.ts";
import { runParser } from "./run-parser.ts";

const TIME_LIMIT_MS = 10_000;
const BARE_TIME_LIMIT_MS = 5_000;

export const readHtml = async (options: HtmlOptions, signal: AbortSignal): Promise<HtmlReading> => {
  const end = await runParser<HtmlReading>({ request: { type: "html", ...options }, timeLimitMs: TIME_LIMIT_MS, signal });
  if (end.type === "done") return end.value;
  const bare = await runParser<string>({
    request: { type: "bare-html", html: options.html },
    timeLimitMs: BARE_TIME_LIMIT_MS,
    signal,
  });
  if (bare.type === "done") return { title: undefined, text: bare.value, bare: true };
  throw new RetinueError("tool_failed", "The page cannot be parsed within the time and memory for it.", {
    hint: 'Its source can be had with format "raw".',
  });
};
