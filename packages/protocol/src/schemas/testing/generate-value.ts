/** Values that fit a schema, generated from the schema itself. The same seed gives the same values. */
import type { z } from "zod";
import { defOf } from "../schema-def.ts";

/** From 0 up to but not including 1 (mulberry32). */
export const createRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
};

const WORDS = ["", "a", "src/über.ts", "line\nline", "🙂", "__proto__", '"quoted"', "x".repeat(200)];

type Generate = (schema: z.core.$ZodType) => unknown;

export const createGenerator = (random: () => number): Generate => {
  const below = (count: number): number => Math.floor(random() * count);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const word = (): string => pick(WORDS);
  const json = (depth: number): unknown =>
    pick([
      () => null,
      () => below(2) === 0,
      () => below(1000),
      word,
      ...(depth > 2
        ? []
        : [() => [json(depth + 1), json(depth + 1)], () => ({ [`key${below(3)}`]: json(depth + 1), other: json(depth + 1) })]),
    ])();

  const generate: Generate = (schema) => {
    const def = defOf(schema);
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- events are made of these kinds; of others we want to hear
    switch (def.type) {
      case "string":
        return word();
      case "number":
        return "format" in def ? below(1_000_000) : below(2_000) / 8;
      case "boolean":
        return below(2) === 0;
      case "literal":
        return pick(def.values);
      case "enum":
        return pick(Object.values(def.entries));
      case "template_literal":
        return def.parts.map((part) => (typeof part === "object" && part !== null ? word() : String(part))).join("");
      case "custom":
        return "internal";
      case "array":
        return Array.from({ length: below(4) }, () => generate(def.element));
      case "nullable":
        return below(2) === 0 ? null : generate(def.innerType);
      case "optional":
        return generate(def.innerType);
      case "union":
        return generate(pick(def.options));
      case "record":
        return { first: json(0), second: json(0) };
      case "lazy":
        return json(0);
      case "object":
        return Object.fromEntries(
          Object.entries(def.shape)
            .filter(([, field]) => defOf(field).type !== "optional" || below(2) === 0)
            .map(([name, field]) => [name, generate(field)]),
        );
      default:
        throw new Error(`nothing is generated for a schema of the type ${def.type}`);
    }
  };
  return generate;
};
