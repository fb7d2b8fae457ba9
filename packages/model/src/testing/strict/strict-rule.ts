/** One thing that a provider refuses, with the page or the report that says so. */
import type { Json, JsonObject } from "@retinue/protocol";

export type StrictHeaders = Readonly<Record<string, string | string[] | undefined>>;

export type StrictRule = {
  readonly name: string;
  /** Where it is documented or was reported. */
  readonly source: string;
  /** The provider's complaint, undefined for what it takes. */
  readonly refuse: (body: JsonObject, headers: StrictHeaders) => string | undefined;
};

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const stringOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

export const listOf = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The complaint about the first one that has one. */
export const firstComplaint = <Item>(items: Iterable<Item>, refuse: (item: Item) => string | undefined): string | undefined => {
  for (const item of items) {
    const complaint = refuse(item);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
};

/** Refuses fields of the request that are not listed. */
export const onlyFields = (source: string, fields: string, words: (field: string) => string): StrictRule => {
  const known = new Set(fields.split(" "));
  return {
    name: "unknown fields",
    source,
    refuse: (body) => firstComplaint(Object.keys(body), (field) => (known.has(field) ? undefined : words(field))),
  };
};
