import { describe, expect, it } from "vitest";
import type { JsonRecord } from "./parsed.ts";
import { parseRecord } from "./parsed.ts";
import { RepeatedEvent } from "./repeated-event.ts";

const read = (event: JsonRecord): string | undefined => {
  const { said, error } = event as { said?: { content?: unknown }; error?: unknown };
  return error === undefined && typeof said?.content === "string" ? said.content : undefined;
};

const create = () => new RepeatedEvent({ opening: /"content"\s*:\s*"/, read });

const learn = (repeated: ReturnType<typeof create>, data: string): boolean => repeated.learn(data, parseRecord(data) ?? {});

describe("an event that is said again with another text", () => {
  it("gives the text of the next one, however the server spaces its JSON", () => {
    for (const [first, next] of [
      ['{"id":1,"said":{"content":"one"}}', '{"id":1,"said":{"content":"größer 🎉"}}'],
      ['{"id": 1, "said": {"content" : "one", "more": null}}', '{"id": 1, "said": {"content" : "größer 🎉", "more": null}}'],
    ] as const) {
      const repeated = create();
      expect(repeated.textOf(next)).toBeUndefined();
      learn(repeated, first);
      expect(repeated.textOf(next)).toBe("größer 🎉");
    }
  });

  it("leaves to the parser what is spelt otherwise, cut off, or differs in anything else", () => {
    const repeated = create();
    learn(repeated, '{"id":1,"said":{"content":"one"}}');
    for (const other of [
      '{"id":1,"said":{"content":"a\\x"}}',
      '{"id":1,"said":{"content":"a\\u12"}}',
      '{"id":1,"said":{"content":"a\\"}}',
      '{"id":1,"said":{"content":"a\u0001"}}',
      '{"id":1,"said":{"content":"x"},"error":"y"}}',
      '{"id":1,"said":{"content":"x","content":"y"}}',
      '{"id":2,"said":{"content":"x"}}',
      '{"id":1,"said":{"content":"x"}',
      '{"id":1,"said":{"content"}}',
      '{"id":1,"said":{"content":"}}',
    ])
      expect([other, repeated.textOf(other)]).toEqual([other, undefined]);
    expect(repeated.textOf('{"id":1,"said":{"content":""}}')).toBe("");
  });

  it("does not take another text of the event for it", () => {
    const repeated = create();
    learn(repeated, '{"note":{"content":"one"},"said":{"content":"one"}}');
    expect(repeated.textOf('{"note":{"content":"two"},"said":{"content":"one"}}')).toBeUndefined();
  });

  it("says of no text what parsing would not", () => {
    const texts = ["", "one", 'q"', "b\\", "\n", "日本語", "}", '"},"error":{"', ",", "\u007f", "\ud800"];
    let told = 0;
    for (const first of texts)
      for (const next of texts)
        for (const change of ["", "id", "tail"]) {
          const repeated = create();
          learn(repeated, JSON.stringify({ id: 1, said: { content: first }, end: true }));
          const data = JSON.stringify({ id: change === "id" ? 2 : 1, said: { content: next }, end: change !== "tail" });
          for (const sent of [data, data.slice(0, -1), data.slice(1), data.replace("content", "contents")]) {
            const text = repeated.textOf(sent);
            if (text !== undefined) expect(text).toBe(read(parseRecord(sent) ?? {}));
            told += text === undefined ? 0 : 1;
          }
        }
    expect(told).toBeGreaterThan(30);
  });

  it("is looked for again where something else has changed, and given up where every event differs", () => {
    const padded = (n: number): string => `{"said":{"content":"one"},"pad":${n}}`;
    const repeated = create();
    for (let n = 0; n < 5; n += 1) {
      learn(repeated, padded(n));
      expect(repeated.textOf(padded(n))).toBe("one");
    }
    for (let n = 0; n < 20; n += 1) repeated.learn(padded(100 + n), parseRecord(padded(100 + n)) ?? {});
    expect(repeated.textOf(padded(119))).toBeUndefined();
  });

  it("gives texts as they are meant, however they are spelt", () => {
    const repeated = create();
    expect(learn(repeated, '{"id":1,"said":{"content":"{\\"path\\":"}}')).toBe(true);
    expect(repeated.textOf('{"id":1,"said":{"content":"a \\"quote\\""}}')).toBe('a "quote"');
    expect(repeated.textOf('{"id":1,"said":{"content":"a\\nline \\u00e9\\\\"}}')).toBe("a\nline é\\");
    expect(repeated.textOf('{"id":1,"said":{"content":"plain"}}')).toBe("plain");
  });
});
