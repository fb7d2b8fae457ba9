/** What the thread of the parsers is asked for. */
import type { HtmlOptions } from "./html-to-markdown.ts";
import type { PdfOptions } from "./pdf-to-text.ts";

export type ParserRequest =
  | ({ readonly type: "html" } & HtmlOptions)
  | { readonly type: "bare-html"; readonly html: string }
  | ({ readonly type: "pdf" } & PdfOptions);

export type ParserReply =
  | { readonly type: "done"; readonly value: unknown }
  | { readonly type: "failed"; readonly message: string };
