/** A call of a tool in a few words: what is done to what. */
import type { CallView } from "@retinue/client";
import type { Json } from "@retinue/protocol";
import { safeName } from "../screen/row.ts";

/** The fields that say what a call is about, the most telling first. */
const TELLING = ["command", "path", "file", "pattern", "query", "url", "question", "agent", "name", "goal", "task"];

const textOf = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined);

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const targetOf = (input: Json | undefined): string => {
  if (!isObject(input)) return textOf(input) ?? "";
  const { files } = input;
  if (Array.isArray(files)) {
    const named = files
      .map((one) => (isObject(one) ? (textOf(one["path"]) ?? "") : (textOf(one) ?? "")))
      .filter((one) => one !== "");
    if (named.length > 0) return named.join(", ");
  }
  const key = TELLING.find((one) => textOf(input[one]) !== undefined);
  const first = key === undefined ? Object.values(input).find((value) => typeof value === "string") : input[key];
  return textOf(first) ?? "";
};

const MOST_CHARS = 200;

/** On one line, safe to print. */
export const describeCall = ({ tool, input }: Pick<CallView, "tool" | "input">): string => {
  const [line = ""] = targetOf(input).trim().split("\n");
  return safeName(`${tool} ${line.slice(0, MOST_CHARS)}`.trim());
};
