/** A provider's cache by its documented rules, played on bodies of requests. Tokens are four characters. */
import type { Json, JsonObject } from "@retinue/protocol";

export type Figures = { readonly input: number; readonly cached: number; readonly written: number };

/** Anthropic looks for an earlier entry at a mark and at so many blocks before it. */
const LOOK_BACK = 20;
const MOST_MARKS = 4;
const LEAST_TOKENS = 1_024;
/** OpenAI caches in steps of so many tokens. */
const STEP_TOKENS = 128;

type Block = { readonly text: string; readonly isMarked: boolean };

const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value)
    ? value.filter((one): one is JsonObject => typeof one === "object" && one !== null && !Array.isArray(one))
    : [];

const toBlock = (given: JsonObject): Block => {
  const { cache_control: mark, ...block } = given;
  return { text: JSON.stringify(block), isMarked: mark !== undefined };
};

/** In the order in which they are cached: tools, system, messages. */
const toBlocks = (body: JsonObject): Block[] =>
  [
    ...listOf(body["tools"]),
    ...listOf(body["system"]),
    ...listOf(body["messages"]).flatMap(({ content }) => listOf(content)),
  ].map(toBlock);

const tokensOf = (chars: number): number => Math.ceil(chars / 4);

export const toFigures = (wire: "messages" | "responses", bodies: readonly JsonObject[]): Figures =>
  wire === "messages" ? byMarks(bodies) : byPrefix(bodies);

const byMarks = (bodies: readonly JsonObject[]): Figures => {
  const entries = new Set<string>();
  let [input, cached, written] = [0, 0, 0];
  for (const body of bodies) {
    const blocks = toBlocks(body);
    const marks = blocks.flatMap(({ isMarked }, index) => (isMarked ? [index] : []));
    if (marks.length > MOST_MARKS) throw new Error(`${marks.length} marks are refused.`);
    const ends: string[] = [];
    for (const { text } of blocks) ends.push((ends.at(-1) ?? "") + text);
    const sizeAt = (index: number): number => tokensOf(ends[index]?.length ?? 0);
    let hit = -1;
    for (const mark of marks)
      for (let at = mark; at >= Math.max(0, mark - LOOK_BACK); at--)
        if (entries.has(ends[at] ?? "")) {
          hit = Math.max(hit, at);
          break;
        }
    const read = hit < 0 ? 0 : sizeAt(hit);
    for (const mark of marks) if (sizeAt(mark) >= LEAST_TOKENS) entries.add(ends[mark] ?? "");
    input += sizeAt(blocks.length - 1);
    cached += read;
    written += Math.max(0, sizeAt(marks.at(-1) ?? 0) - read);
  }
  return { input, cached, written };
};

const byPrefix = (bodies: readonly JsonObject[]): Figures => {
  const seen: string[] = [];
  let [input, cached] = [0, 0];
  for (const { tools, instructions, input: items } of bodies) {
    const text = JSON.stringify([tools, instructions, items]);
    const shared = Math.max(0, ...seen.map((one) => sharedChars(one, text)));
    const tokens = Math.floor(shared / 4 / STEP_TOKENS) * STEP_TOKENS;
    input += tokensOf(text.length);
    cached += tokens >= LEAST_TOKENS ? tokens : 0;
    seen.push(text);
  }
  return { input, cached, written: 0 };
};

const sharedChars = (left: string, right: string): number => {
  let at = 0;
  while (at < left.length && left.charCodeAt(at) === right.charCodeAt(at)) at++;
  return at;
};
