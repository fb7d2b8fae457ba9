/**
 * A model whose calls are mended: calls written as text become calls, names lose the prefixes that some models put before them, and arguments get the shape that the
 * schema leaves no doubt about. Each such call says so, with what the model wrote. Its tools' own checks, policy and approvals come after this, as for any call.
 */
import type { AssistantPart, ToolCallPart } from "@retinue/protocol";
import type { Model, ModelAnswer, ModelChunk, ModelRequest } from "../contract.ts";
import { createCallIds } from "../wire/call-ids.ts";
import type { FindTool } from "./call-forms.ts";
import type { AnswerPiece } from "./call-text.ts";
import { CallText, mayOpen } from "./call-text.ts";
import { mendArguments } from "./mend-arguments.ts";

export const repairCalls = (model: Model): Model => ({
  ...model,
  stream: (request, signal) => new RepairedStream(model, request, signal),
});

/** Not a generator: a second one around the stream of a model costs every piece of an answer several promises. */
class RepairedStream implements AsyncIterableIterator<ModelChunk, void, undefined> {
  readonly #request: ModelRequest;
  readonly #find: FindTool;
  readonly #mayCall: FindTool | undefined;
  readonly #chunks: AsyncIterator<ModelChunk, unknown, undefined>;
  #text: CallText;
  /** What one chunk became and was not yet taken. */
  #ready: ModelChunk[] = [];

  constructor(model: Model, request: ModelRequest, signal: AbortSignal) {
    this.#request = request;
    this.#find = toFindTool(request);
    this.#mayCall = request.toolChoice === "auto" && request.tools.length > 0 ? this.#find : undefined;
    this.#text = new CallText(this.#mayCall);
    this.#chunks = model.stream(request, signal)[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<ModelChunk, void>> {
    for (;;) {
      const ready = this.#ready.shift();
      if (ready !== undefined) return { done: false, value: ready };
      const result = await this.#chunks.next();
      if (result.done === true) return { done: true, value: undefined };
      const chunk = result.value;
      switch (chunk.type) {
        case "text":
          for (const piece of this.#text.push(chunk.text)) this.#ready.push(toChunk(piece));
          break;
        case "retry":
          this.#text = new CallText(this.#mayCall);
          return { done: false, value: chunk };
        case "answer":
          for (const piece of this.#text.end()) this.#ready.push(toChunk(piece));
          this.#ready.push(repairAnswer(chunk, this.#request, this.#find, this.#mayCall));
          break;
        case "reasoning":
        case "tool-input":
          return { done: false, value: chunk };
        default:
          chunk satisfies never;
      }
    }
  }

  async return(): Promise<IteratorResult<ModelChunk, void>> {
    await this.#chunks.return?.();
    return { done: true, value: undefined };
  }
}

const toChunk = (piece: AnswerPiece): ModelChunk =>
  piece.type === "call" ? { type: "tool-input", tool: piece.tool, text: piece.arguments } : piece;

const PREFIX = /^(?:functions?|tools?|default_api)[.:]/;

const toFindTool = ({ tools }: ModelRequest): FindTool => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return (name) => {
    const tool = byName.get(name) ?? byName.get(name.replace(PREFIX, ""));
    return tool && { name: tool.name, schema: tool.inputSchema };
  };
};

const repairAnswer = (answer: ModelAnswer, request: ModelRequest, find: FindTool, mayCall: FindTool | undefined): ModelAnswer => {
  if (!answer.content.some((part) => part.type === "tool-call" || (part.type === "text" && mayOpen(part.text)))) return answer;
  const content: AssistantPart[] = [];
  const toId = createCallIds(request.messages);
  // A model that made its calls as it should has nothing to say in another way.
  const hasCalls = answer.content.some(({ type }) => type === "tool-call");
  let found = 0;
  for (const part of answer.content) {
    if (part.type === "reasoning") content.push(part);
    else if (part.type === "tool-call") content.push(mendCall(part, find));
    else {
      const text = new CallText(hasCalls ? undefined : mayCall);
      for (const piece of join([...text.push(part.text), ...text.end()])) {
        if (piece.type !== "call")
          content.push(piece.type === "text" && part.opaque !== undefined ? { ...piece, opaque: part.opaque } : piece);
        else {
          found++;
          const call: ToolCallPart = {
            type: "tool-call",
            callId: toId(""),
            tool: piece.tool,
            arguments: piece.arguments,
            repaired: { how: [`written as ${piece.form}`], wrote: piece.arguments },
          };
          content.push(mendCall(call, find));
        }
      }
    }
  }
  const kept = content.filter((part) => part.type !== "text" || found === 0 || part.text.trim() !== "");
  const isSame = found === 0 && kept.length === answer.content.length && kept.every((part, at) => part === answer.content[at]);
  if (isSame) return answer;
  const finishReason = found > 0 && answer.finishReason !== "length" ? "tool-calls" : answer.finishReason;
  return { ...answer, content: kept, finishReason };
};

/** Neighbours of one kind are one. */
const join = (pieces: readonly AnswerPiece[]): AnswerPiece[] => {
  const joined: AnswerPiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last && last.type !== "call" && piece.type === last.type)
      joined[joined.length - 1] = { type: last.type, text: last.text + piece.text };
    else joined.push(piece);
  }
  return joined;
};

const mendCall = (call: ToolCallPart, find: FindTool): ToolCallPart => {
  const tool = find(call.tool);
  if (!tool) return call;
  const { text, how } = mendArguments(call.arguments, tool.schema);
  const renamed = tool.name === call.tool ? [] : [`called ${call.tool}`];
  if (how.length === 0 && renamed.length === 0) return call;
  const { how: before, wrote } = call.repaired ?? { how: [], wrote: call.arguments };
  return { ...call, tool: tool.name, arguments: text, repaired: { how: [...before, ...renamed, ...how], wrote } };
};
