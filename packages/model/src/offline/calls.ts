/** The tools that are offered, and calls of them. A tool that is not offered, or takes other arguments, is not called. */
import type { JsonObject } from "@retinue/protocol";
import type { ToolDeclaration } from "../contract.ts";

export type PlannedCall = { readonly tool: string; readonly input: JsonObject };

/** Whether a tool is there and takes arguments of these names. */
export type Offers = (tool: string, ...names: readonly string[]) => boolean;

export const createOffers =
  (tools: readonly ToolDeclaration[]): Offers =>
  (name, ...names) => {
    const tool = tools.find((each) => each.name === name);
    return tool !== undefined && names.every((wanted) => propertyOf(tool, wanted) !== undefined);
  };

export const propertyOf = (tool: ToolDeclaration, name: string): JsonObject | undefined => {
  const { properties } = tool.inputSchema;
  return isObject(properties) && isObject(properties[name]) ? properties[name] : undefined;
};

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
