/** The thread in which documents of others are parsed: it holds nothing worth taking and can be ended at any time. */
import { parentPort, workerData } from "node:worker_threads";
import type { ParserReply, ParserRequest } from "./parser-request.ts";

const parse = async (request: ParserRequest): Promise<unknown> => {
  switch (request.type) {
    case "html":
      return (await import("./html-to-markdown.ts")).htmlToMarkdown(request);
    case "bare-html":
      return (await import("./html-to-text.ts")).htmlToText(request.html);
    case "pdf":
      return (await import("./pdf-to-text.ts")).pdfToText(request);
    default:
      return request satisfies never;
  }
};

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, which has no origin
const reply = (message: ParserReply): void => parentPort?.postMessage(message);

try {
  reply({ type: "done", value: await parse(workerData as ParserRequest) });
} catch (thrown) {
  reply({ type: "failed", message: thrown instanceof Error ? thrown.message : String(thrown) });
}
