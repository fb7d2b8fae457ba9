/**
 * What a tool is: a typed function with a declaration of what it does to the world. A tool contains no policy;
 * `judge` decides from the declaration whether a call may run.
 */
import type { ToolDeclaration } from "@retinue/model/contract";
import type {
  ArtifactRef,
  CallId,
  ErrorValue,
  FileChanges,
  Grant,
  Json,
  JsonObject,
  ProposedAct,
  RunIdentity,
  TestCounts,
  ToolEffect,
  Transferred,
  Usage,
  UserPart,
  UserQuestion,
} from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { z } from "zod";
import type { Artifacts } from "../context/artifacts.ts";
import type { Look } from "./look-request.ts";
import type { Conduct } from "./parts.ts";
import type { AnyResource, Resource, Resources } from "./resource.ts";
import type { OnStop } from "./stop-hooks.ts";
import { toWireName } from "./wire-name.ts";

/** What a call will touch, told before it runs. Paths as the model wrote them; they are resolved by policy. */
export type Touches = {
  readonly paths?: readonly string[];
  readonly hosts?: readonly string[];
  /** A command line that a shell will run. */
  readonly command?: string;
  /** Files that decide what the call runs, where it is no command line: a yes is asked for again once one of them changed. */
  readonly decidedBy?: readonly string[];
  /** What rules are about where it is neither a path nor a command line: an address, the name of a skill, a command in other words; of several all count. */
  readonly about?: string | readonly string[];
  /** The call starts a program on what others wrote, and is asked about where no sandbox holds it: what is not protected then. */
  readonly withoutSandbox?: string;
  /** Names of the secrets that it is to be given; whoever uses the tool is asked, in every mode. */
  readonly secrets?: readonly string[];
  /** The call asks the human: it waits, in every mode, until somebody has answered, and is given the answer. */
  readonly question?: UserQuestion;
  /** It starts programs of the workspace, which a sandbox keeps to the grant. */
  readonly needsSandbox?: boolean;
};

/** What the run is granted, for tools that confine what they start; whether a call may run at all was decided before. */
export type ToolScope = Pick<Grant, "writes" | "hosts" | "approve" | "rules" | "directory">;

export type ToolContext = {
  readonly callId: CallId;
  /** Which run calls: one and the same object in all of its calls, for tools that remember. */
  readonly run: RunIdentity;
  /** Absolute, real path of the folder the run works in. */
  readonly workspace: string;
  readonly scope: ToolScope;
  /** The act as a human has allowed it; absent where nobody had to be asked. */
  readonly act?: ProposedAct;
  /** What the human said, of a call that asks them; absent where they gave no words. */
  readonly answer?: string;
  /** Aborted when the run is cancelled or the tool's time is up. */
  readonly signal: AbortSignal;
  readonly artifacts: Artifacts;
  /** Working time that the run has left. */
  readonly timeLeftMs: () => number;
  /** How a call that carries out a plan records its parts; absent outside of the loop. */
  readonly conduct?: Conduct | undefined;
  /** How many characters of the tool's output enter the context at most; absent outside of the loop. */
  readonly mostChars?: number;
  /** Asks a model about a picture; absent outside of the loop. */
  readonly look?: Look;
  /** Shows something while the tool works. Never reaches the model. */
  readonly progress: (text: string) => void;
};

/** What the loop gives a call: the tool's context, with a way to hear of a stop in place of a signal. */
export type CallContext = Omit<ToolContext, "signal" | "conduct"> & {
  readonly conduct?: (() => Conduct) | undefined;
  readonly onStop: OnStop;
  /** Absent where nothing can be held open. */
  readonly resources?: Resources | undefined;
};

/** What a tool spent on models of its own. */
export type Spent = { readonly usage: Usage; readonly costUsd: number | null };

/** A string is text for the model. */
export type ToolOutput =
  | string
  | {
      readonly content: readonly UserPart[];
      readonly files?: FileChanges;
      readonly tests?: TestCounts;
      /** What kept the command that it ran to its rights, by name and version; `none` where nothing did. */
      readonly sandbox?: string;
      readonly spent?: Spent;
      /** The whole of what the content shows a part of. */
      readonly artifact?: ArtifactRef;
      /** Of a delegation that handed the conversation over; other tools cannot. */
      readonly transferred?: Transferred;
      /** It did what it could, and failed. */
      readonly isError?: boolean;
      /** Why it failed, where there is a code for that. */
      readonly error?: ErrorValue;
    };

export type Tool<Input = unknown> = {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** What the model is shown in place of the schema of `input`, for tools whose schema comes from elsewhere. */
  readonly inputSchema?: JsonObject;
  readonly effect: ToolEffect;
  /** Safe to run again after a crash without being asked. */
  readonly repeatable: boolean;
  /** `Infinity` for tools that keep their own time. */
  readonly timeoutMs: number;
  /** It sees to it itself how much of it runs at the same time. */
  readonly selfPaced: boolean;
  /** It sees to it itself that its output is no longer than it may be. */
  readonly selfFitted?: boolean;
  /** What it works with, opened before its first call. */
  readonly resource?: AnyResource;
  /** `run` is who calls; absent where nobody does, as for rules that are only explained. */
  touches(input: Input, run?: RunIdentity): Touches;
  /** Throws `RetinueError("tool_failed", …)` for what the model should read; the loop answers with it. `held` is what its resource opened. */
  execute(input: Input, context: ToolContext, held?: unknown): Promise<ToolOutput>;
};

/** A tool of some input. `touches` and `execute` are methods so that any tool is one; the loop parses the input first. */
export type AnyTool = Tool;

export type ToolOptions<Input, Held = undefined> = {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly inputSchema?: JsonObject;
  readonly effect: ToolEffect;
  /** By default reads are repeatable and nothing else is. */
  readonly repeatable?: boolean;
  /** Two minutes by default. */
  readonly timeoutMs?: number;
  readonly selfPaced?: boolean;
  readonly selfFitted?: boolean;
  /** What it works with, such as a browser: opened before its first call of a run or session, given to `execute`, and closed for sure. */
  readonly resource?: Resource<Held>;
  readonly touches?: (input: Input, run?: RunIdentity) => Touches;
  readonly execute: (input: Input, context: ToolContext, held: Held) => Promise<ToolOutput> | ToolOutput;
};

const TOOL_NAME = /^[A-Za-z][\w.-]{0,63}$/;

export const defineTool = <Input, Held = undefined>(options: ToolOptions<Input, Held>): Tool<Input> => {
  if (!TOOL_NAME.test(options.name))
    throw new RetinueError(
      "usage",
      `"${options.name}" is no tool name: a letter, then letters, digits, "_", "-" or ".", 64 at most.`,
    );
  return {
    name: options.name,
    description: options.description,
    input: options.input,
    ...(options.inputSchema === undefined ? {} : { inputSchema: options.inputSchema }),
    effect: options.effect,
    repeatable: options.repeatable ?? options.effect === "read",
    timeoutMs: options.timeoutMs ?? 120_000,
    selfPaced: options.selfPaced ?? false,
    ...(options.selfFitted === undefined ? {} : { selfFitted: options.selfFitted }),
    ...(options.resource === undefined ? {} : { resource: options.resource }),
    touches: options.touches ?? (() => ({})),
    execute: async (input, context, held) => options.execute(input, context, held as Held),
  };
};

const declarations = new WeakMap<AnyTool, ToolDeclaration>();

/** The tool as a model sees it; made once a tool. */
export const toDeclaration = (tool: AnyTool): ToolDeclaration => {
  let declaration = declarations.get(tool);
  if (!declaration) {
    declaration = {
      name: toWireName(tool.name),
      description: tool.description,
      inputSchema: tool.inputSchema === undefined ? toShownSchema(tool.input) : (stripSchema(tool.inputSchema) as JsonObject),
    };
    declarations.set(tool, declaration);
  }
  return declaration;
};

/** What a model is told only when it breaks it: every call is checked, and a wrong one is answered with what is allowed. */
const UNTOLD = new Set([
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "pattern",
  "default",
]);

/** The schema of an input as a model is shown it, without the bounds that would be sent with every request. */
export const toShownSchema = (input: z.ZodType): JsonObject =>
  leaveOutBounds(stripSchema(z.toJSONSchema(input, { io: "input" }) as JsonObject)) as JsonObject;

/** The same for a schema that is JSON already. */
export const leaveOutBounds = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(leaveOutBounds);
  if (schema === null || typeof schema !== "object") return schema;
  const kept: Record<string, Json> = {};
  for (const [key, child] of Object.entries(schema as JsonObject)) {
    if (UNTOLD.has(key) || (key === "additionalProperties" && (child === false || isEmpty(child)))) continue;
    if (key === "properties" && isEmpty(child) && "additionalProperties" in schema) continue;
    // Under `properties` stand names, which may be any word.
    kept[key] = key === "properties" ? mapValues(child as JsonObject, leaveOutBounds) : leaveOutBounds(child);
  }
  return kept;
};

const isEmpty = (value: Json): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

const mapValues = (object: JsonObject, map: (value: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));

/** Some servers refuse `$schema` and the safe-integer bounds that zod writes. */
export const stripSchema = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(stripSchema);
  if (value === null || typeof value !== "object") return value;
  const kept: Record<string, Json> = {};
  for (const [key, child] of Object.entries(value as JsonObject)) {
    if (key === "$schema") continue;
    if ((key === "maximum" || key === "minimum") && typeof child === "number" && Math.abs(child) === Number.MAX_SAFE_INTEGER)
      continue;
    kept[key] = stripSchema(child);
  }
  return kept;
};
