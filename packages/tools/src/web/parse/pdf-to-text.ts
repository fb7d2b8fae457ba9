/** The text of a PDF, page by page until there is enough of it. */
import { getDocumentProxy } from "unpdf";

export type PdfReading = {
  readonly title: string | undefined;
  readonly pages: readonly string[];
  /** How many the document has. */
  readonly totalPages: number;
};

export type PdfOptions = {
  readonly bytes: Uint8Array;
  readonly maxPages: number;
  readonly maxChars: number;
  /** No further page is begun after this time. */
  readonly timeMs: number;
};

export const pdfToText = async ({ bytes, maxPages, maxChars, timeMs }: PdfOptions): Promise<PdfReading> => {
  const startedAt = performance.now();
  const pdf = await getDocumentProxy(bytes, {
    // Nothing of a document is run, drawn or fetched.
    enableXfa: false,
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
    maxImageSize: 1,
    verbosity: 0,
  });
  const pages: string[] = [];
  let chars = 0;
  const last = Math.min(pdf.numPages, maxPages);
  for (let number = 1; number <= last && chars < maxChars && performance.now() - startedAt < timeMs; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
    page.cleanup();
    pages.push(text.trim());
    chars += text.length;
  }
  return { title: await titleOf(pdf), pages, totalPages: pdf.numPages };
};

const titleOf = async (pdf: Awaited<ReturnType<typeof getDocumentProxy>>): Promise<string | undefined> => {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const title = "Title" in info && typeof info.Title === "string" ? info.Title.trim() : "";
  return title === "" ? undefined : title;
};
