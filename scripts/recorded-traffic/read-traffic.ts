/**
 * Reads recorded streams of real services in a folder with our own readers, and says how many were read rightly: text, thoughts, calls and usage. No
 * recordings are kept here. Files end in `.chunks.txt`, with one event as JSON a line, or in `.sse`.
 */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import type { ModelAnswer } from "../../packages/model/src/contract.ts";
import { createEndpoint } from "../../packages/model/src/transport/endpoint.ts";
import type { AnswerReader } from "../../packages/model/src/transport/exchange.ts";
import type { Failure } from "../../packages/model/src/transport/failure.ts";
import { createAnthropicReader } from "../../packages/model/src/wire/anthropic-answer.ts";
import { createOpenAiReader } from "../../packages/model/src/wire/openai-answer.ts";
import { createResponsesReader } from "../../packages/model/src/wire/responses-answer.ts";
import type { Protocol, StreamEvent } from "./expected-answer.ts";
import { expectedOf, isFailed, protocolOf } from "./expected-answer.ts";

const READERS = { responses: createResponsesReader, messages: createAnthropicReader, chat: createOpenAiReader };
const FIRST: ReadonlySet<unknown> = new Set(["response.created", "message_start"]);

const readEvents = (file: string): StreamEvent[] =>
  readFileSync(file, "utf8")
    .split(/\r?\n/)
    .map((line) => line.replace(/^data:\s*/, "").trim())
    .flatMap((line) => {
      if (!line.startsWith("{")) return [];
      try {
        return [JSON.parse(line) as StreamEvent];
      } catch {
        return [];
      }
    });

/** A file may hold the streams of several turns. */
const toStreams = (events: readonly StreamEvent[]): StreamEvent[][] => {
  const streams: StreamEvent[][] = [];
  for (const event of events) {
    if (streams.length === 0 || FIRST.has(event["type"])) streams.push([]);
    streams.at(-1)?.push(event);
  }
  return streams;
};

const readStream = (protocol: Protocol, events: readonly StreamEvent[]): ModelAnswer | Failure => {
  const endpoint = createEndpoint({ provider: "recorded", url: "http://recorded.invalid/", headers: {} });
  const request = { system: "", messages: [], tools: [], toolChoice: "auto" } as const;
  const reader: AnswerReader = READERS[protocol]({ endpoint, request, bodyChars: 0, price: () => null });
  for (const event of events) {
    const failure = reader.onEvent("", JSON.stringify(event));
    if (failure) return failure;
    if (reader.isEnded()) break;
  }
  return reader.finish("");
};

/** What is wrong with how the stream was read; undefined where nothing is. */
const faultOf = (protocol: Protocol, events: readonly StreamEvent[]): string | undefined => {
  const outcome = readStream(protocol, events);
  if (outcome.type === "failure") return isFailed(events) ? undefined : `failed: ${outcome.error.message}`;
  const expected = expectedOf(protocol, events);
  const said = (type: "text" | "reasoning"): string =>
    outcome.content.map((part) => (part.type === type ? part.text : "")).join("");
  const calls = outcome.content.map((part) => (part.type === "tool-call" ? part.tool + part.arguments : "")).join("");
  if (said("text") !== expected.text) return "another text";
  if (said("reasoning") !== expected.thoughts) return "other thoughts";
  if (calls !== expected.calls) return "other calls";
  if (expected.outputTokens !== undefined && outcome.usage.output !== expected.outputTokens) return "another usage";
  return undefined;
};

const [folder] = process.argv.slice(2);
if (folder === undefined)
  process.stdout.write(
    "No folder of recorded traffic was given: nothing was read. Give one: npm run recorded-traffic -- FOLDER\n",
  );
else {
  const files = globSync("**/*.{chunks.txt,sse}", { cwd: folder }).toSorted();
  const read = new Map<Protocol, { all: number; right: number }>();
  let skipped = 0;
  for (const file of files)
    for (const events of toStreams(readEvents(path.join(folder, file)))) {
      const protocol = protocolOf(events);
      if (protocol === undefined) {
        skipped += 1;
        continue;
      }
      const count = read.get(protocol) ?? { all: 0, right: 0 };
      read.set(protocol, count);
      count.all += 1;
      const fault = faultOf(protocol, events);
      if (fault === undefined) count.right += 1;
      else process.stdout.write(`${file}: ${protocol}: ${fault}\n`);
    }
  const all = [...read.values()].reduce((sum, one) => sum + one.all, 0);
  const right = [...read.values()].reduce((sum, one) => sum + one.right, 0);
  for (const [protocol, count] of read) process.stdout.write(`${protocol}: ${count.right} of ${count.all}\n`);
  process.stdout.write(`${right} of ${all} streams were read rightly; ${skipped} are of other protocols.\n`);
  process.exitCode = all > 0 && right / all >= 0.99 ? 0 : 1;
}
