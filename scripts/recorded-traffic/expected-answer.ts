/** What a recorded stream says, read the plain way: every event parsed, nothing streamed. Our readers are held to it. */

export type StreamEvent = Readonly<Record<string, unknown>>;
export type Expected = {
  readonly text: string;
  readonly thoughts: string;
  /** Name and arguments of each, one after the other. */
  readonly calls: string;
  readonly outputTokens: number | undefined;
};
export type Protocol = "responses" | "messages" | "chat";

// Recorded traffic is untyped; what is not there reads as undefined.
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

export const protocolOf = (events: readonly StreamEvent[]): Protocol | undefined => {
  for (const { type, choices } of events) {
    if (typeof type === "string" && (type.startsWith("response.") || type === "error")) return "responses";
    if (type === "message_start") return "messages";
    if (Array.isArray(choices)) return "chat";
  }
  return undefined;
};

/** Whether the stream tells of an error, or was cut off before its end. */
export const isFailed = (events: readonly StreamEvent[]): boolean =>
  (events.some(({ type }) => type === "message_start") && !events.some(({ type }) => type === "message_stop")) ||
  events.some(({ type, error }) => type === "error" || type === "response.failed" || (error ?? null) !== null);

export const expectedOf = (protocol: Protocol, events: readonly StreamEvent[]): Expected => {
  switch (protocol) {
    case "responses":
      return fromResponses(events);
    case "messages":
      return fromMessages(events);
    case "chat":
      return fromChat(events);
  }
};

const fromResponses = (events: readonly StreamEvent[]): Expected => {
  const last: Loose = events.findLast(({ type }) => type === "response.completed" || type === "response.incomplete");
  const told: Loose[] = last?.response?.output ?? [];
  const items: Loose[] =
    told.length > 0 ? told : events.flatMap((event: Loose) => (event.type === "response.output_item.done" ? [event.item] : []));
  const of = (type: string): Loose[] => items.filter((item) => item.type === type);
  return {
    text: of("message")
      .flatMap(({ content }) => content.map((part: Loose) => part.text ?? part.refusal ?? ""))
      .join(""),
    thoughts: of("reasoning")
      .map(({ summary = [], content }) =>
        summary.length > 0
          ? summary.map((one: Loose) => one.text).join("\n\n")
          : (content ?? []).map((one: Loose) => one.text).join(""),
      )
      .join(""),
    calls: of("function_call")
      .map((call) => call.name + (call.arguments || "{}"))
      .join(""),
    outputTokens: last?.response?.usage?.output_tokens,
  };
};

const fromMessages = (events: readonly StreamEvent[]): Expected => {
  const pieces = (kind: string, field: string): string =>
    events.map(({ delta }: Loose) => (delta?.type === kind ? delta[field] : "")).join("");
  const calls = events.flatMap(({ type, index, content_block: block }: Loose) => {
    if (type !== "content_block_start" || block.type !== "tool_use") return [];
    const input = events.map((event: Loose) => (event.index === index ? (event.delta?.partial_json ?? "") : "")).join("");
    return [block.name + (input || JSON.stringify(block.input ?? {}))];
  });
  const first: Loose = events.find(({ type }) => type === "message_start");
  for (const block of first?.message?.content ?? [])
    if (block.type === "tool_use") calls.push(block.name + JSON.stringify(block.input));
  const last: Loose = events.findLast(({ type }) => type === "message_delta");
  return {
    text: pieces("text_delta", "text"),
    thoughts: pieces("thinking_delta", "thinking"),
    calls: calls.join(""),
    outputTokens: last?.usage?.output_tokens,
  };
};

const fromChat = (events: readonly StreamEvent[]): Expected => {
  const deltas: Loose[] = events.flatMap(({ choices }: Loose) =>
    (choices ?? []).filter((one: Loose) => (one.index ?? 0) === 0).map((one: Loose) => one.delta ?? {}),
  );
  const calls: { key: unknown; id: unknown; name: string; text: string }[] = [];
  for (const call of deltas.flatMap((delta): Loose[] => delta.tool_calls ?? [])) {
    let known = calls.findLast(({ key }) => key === call.index);
    if (!known || (call.id && known.id && call.id !== known.id))
      calls.push((known = { key: call.index, id: call.id, name: "", text: "" }));
    known.name ||= call.function?.name ?? "";
    known.text += call.function?.arguments ?? "";
  }
  const parts = (content: Loose, kind: string): string =>
    Array.isArray(content)
      ? content
          .map((part: Loose) =>
            kind === "text" ? (part.text ?? "") : (part.thinking ?? []).map((one: Loose) => one.text).join(""),
          )
          .join("")
      : kind === "text"
        ? (content ?? "")
        : "";
  const usage: Loose = events.findLast(({ usage: told }: Loose) => (told ?? null) !== null);
  return {
    text: deltas.map(({ content, refusal }) => parts(content, "text") + (refusal ?? "")).join(""),
    thoughts: deltas.map((delta) => delta.reasoning_content || delta.reasoning || parts(delta.content, "thinking")).join(""),
    calls: calls.map(({ name, text }) => name + (text || "{}")).join(""),
    outputTokens: usage?.usage?.completion_tokens,
  };
};
