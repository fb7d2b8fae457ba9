/** The document of events keeps what was written by hand and tells every event and every field. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defOf } from "../packages/protocol/src/schemas/schema-def.ts";
import { EVENT_SCHEMAS } from "../packages/protocol/src/schemas/event-schemas.ts";
import { MARK, toEventsDocument, toEventsReference } from "./generate-events-doc.ts";
import { collectValues, toFieldRows, toTypeText, toValueSection } from "./schema-to-markdown.ts";

test("what stands above the mark stays, what stands below it is written anew", () => {
  const document = toEventsDocument(`# By hand\n\n${MARK}\nold`);
  expect(document.startsWith(`# By hand\n\n${MARK}\n\n## `)).toBe(true);
  expect(document).not.toContain("old\n");
  expect(toEventsDocument(document)).toBe(document);
});

test("a document without its mark is not overwritten", () => {
  expect(() => toEventsDocument("# By hand")).toThrow("has lost its mark");
});

test("every event has exactly one section", () => {
  const told = [...toEventsReference().matchAll(/^### `([a-z.]+)`$/gm)].map(([, type = ""]) => type);
  expect(told.toSorted()).toEqual(Object.keys(EVENT_SCHEMAS).toSorted());
});

test("every field of every event and of every value has a meaning, and every value that is linked has a section", () => {
  const values = collectValues(Object.values(EVENT_SCHEMAS));
  const without = [...Object.entries(EVENT_SCHEMAS), ...values].flatMap(([name, schema]) =>
    toFieldRows(schema, new Set(["type", "role"]))
      .filter(({ meaning }) => meaning === "")
      .map((row) => `${name}.${row.name}`),
  );
  expect(without).toEqual([]);
  const linked = [...toEventsReference().matchAll(/\(#([a-z]+)\)/g)].map(([, anchor = ""]) => anchor);
  expect([...new Set(linked)].toSorted()).toEqual([...values.keys()].map((name) => name.toLowerCase()).toSorted());
});

test("types are told in a few signs, and a value by its own words, not by those of the field that has it", () => {
  const thing = z.object({ size: z.number().describe("How large.") }).meta({ title: "Thing", description: "A thing." });
  const holder = z.object({
    one: thing.exactOptional().describe("The one."),
    many: z.array(z.enum(["a", "b"]).nullable()).describe("Some."),
  });
  expect(toFieldRows(holder)).toEqual([
    { name: "one?", type: "[Thing](#thing)", meaning: "The one." },
    { name: "many", type: '(`"a"` | `"b"` | null)[]', meaning: "Some." },
  ]);
  const [[name, value] = ["", thing]] = collectValues([z.object({ named: thing.describe("As a field.") })]);
  expect(toValueSection(name, value)).toContain("### Thing\n\nA thing.\n");
  expect(defOf(value).type).toBe("object");
  expect(() => toTypeText(z.date())).toThrow("cannot be told");
});
