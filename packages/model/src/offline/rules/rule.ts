/** What a rule of the offline model is: it says whether a question is of its kind, and then turns what is known so far into the next turn. */
import type { JsonObject } from "@retinue/protocol";
import type { Offers, PlannedCall } from "../calls.ts";
import type { Exchange } from "../conversation.ts";
import { toAnswer } from "../wording.ts";
import type { Asked } from "./asked.ts";

export type Turn =
  | { readonly type: "calls"; readonly text: string; readonly calls: readonly PlannedCall[] }
  | { readonly type: "answer"; readonly text: string };

export type Situation = {
  /** The turns in which the tools were called directly, oldest first. */
  readonly turns: readonly (readonly Exchange[])[];
  /** Says of nothing that it is offered once the run has to hand in. */
  readonly offers: Offers;
};

export type Job = {
  /** Who is asked to do it, where it may be handed on; nobody: whoever was asked does it. */
  readonly agent?: "researcher" | "code-search" | "reviewer" | "tester" | "executor";
  readonly work: (at: Situation) => Turn;
};

/** Undefined where the question is not of this kind. */
export type Rule = (asked: Asked) => Job | undefined;

export const answer = (...paragraphs: readonly string[]): Turn => ({ type: "answer", text: toAnswer(...paragraphs) });

/** Calls where any can be made, else the answer. */
export const callOr = (text: string, calls: readonly PlannedCall[], otherwise: () => Turn): Turn =>
  calls.length > 0 ? { type: "calls", text, calls } : otherwise();

/** The calls of tools that are offered with these arguments. */
export const offered = ({ offers }: Situation, ...calls: readonly PlannedCall[]): readonly PlannedCall[] =>
  calls.filter(({ tool, input }) => offers(tool, ...Object.keys(input)));

export const call = (tool: string, input: JsonObject): PlannedCall => ({ tool, input });

export const exchangesOf = ({ turns }: Situation): readonly Exchange[] => turns.flat();

/** The path that a call was about. */
export const pathOf = ({ input }: Exchange): string => (typeof input["path"] === "string" ? input["path"] : "");
