/**
 * What the agents of generated runs do in a turn: it follows from the seed, the agent, its task and the turn, so that every process sees the same
 * model.
 */
import { hash } from "node:crypto";
import type { ScriptedToolCall, ScriptedTurn } from "@retinue/model/testing";
import type { Limits } from "@retinue/protocol";
import type { ModelRequest } from "@retinue/runtime";
import { askedOf, delegateTo } from "./test-engine.ts";

/**
 * What happens in a family of runs beside calls, delegations and questions:
 * - `words`: people write to runs, take some of it back, and ask runs to finish;
 * - `answers`: people are asked something by a tool, and their yes to an act holds for longer than once;
 * - `guards`: guardrails refuse tasks, messages and answers;
 * - `forms`: results must have a form, and do not always have it;
 * - `checks`: a command or an agent must accept results;
 * - `transfers`: conversations are handed over;
 * - `plans`: plans are carried out, and their steps fail;
 * - `turns`: the session has a second turn, before which the first is summarised;
 * - `fits`: conversations outgrow their limit;
 * - `summaries`: sub-agents are told a summary of what was said so far;
 * - `parks`: nobody answers in the process, and runs wait outside of memory.
 */
export type Behaviour =
  | "words"
  | "answers"
  | "guards"
  | "forms"
  | "checks"
  | "transfers"
  | "plans"
  | "turns"
  | "fits"
  | "summaries"
  | "parks";

export type Family = {
  readonly name: string;
  readonly limits: Limits;
  /** The model of some conversations is away, and the next one answers. */
  readonly fallbacks: boolean;
  readonly background: boolean;
  readonly worktrees: boolean;
  readonly also?: readonly Behaviour[];
};

export type Generated = { readonly seed: number; readonly family: Family };

const MOST_TURNS = 4;

/** A number from 0 up to but not including `most`, the same for the same words. */
export const pick = (most: number, ...words: readonly (string | number)[]): number =>
  Number.parseInt(hash("sha256", words.join("\0"), "hex").slice(0, 8), 16) % most;

export const has = ({ also = [] }: Family, behaviour: Behaviour): boolean => also.includes(behaviour);

type Asked = { readonly agent: string; readonly task: string; readonly turn: number };
type Pick = (most: number, ...words: readonly (string | number)[]) => number;

/** What the model of a generated run answers. */
export const toGeneratedTurn = ({ seed, family }: Generated, request: ModelRequest): ScriptedTurn => {
  if (request.system.startsWith("You compress")) return { text: `Notes of ${turnsIn(request)} turns.` };
  const asked: Asked = { agent: askedOf(request).agent, task: toTask(request), turn: turnsIn(request) };
  const turn = request.toolChoice === "none" ? { text: `${asked.agent} hands in.` } : toTurn(seed, family, asked, request);
  return has(family, "fits") || has(family, "turns") ? { ...turn, usage: { input: sizeOf(request), output: 10 } } : turn;
};

/** Whether the first of the models is away for this conversation. */
export const isAway = ({ seed, family }: Generated, request: ModelRequest): boolean =>
  family.fallbacks && pick(5, seed, askedOf(request).agent, toTask(request), "away") === 0;

const sizeOf = ({ system, messages, tools }: ModelRequest): number =>
  Math.ceil((system.length + JSON.stringify([messages, tools]).length) / 4);

const textsOf = ({ messages }: ModelRequest): readonly string[] =>
  messages.flatMap(({ content }) => content.flatMap((part) => (part.type === "text" ? [part.text] : [])));

/** Those that were summarised count as well. */
const turnsIn = (request: ModelRequest): number => {
  const summarised = textsOf(request).flatMap((text) =>
    [...text.matchAll(/Notes of (\d+) turns/g)].map(([, count]) => Number(count)),
  );
  const told = request.system.startsWith("You compress") ? (textsOf(request)[0]?.match(/^assistant: /gm)?.length ?? 0) : 0;
  const own = request.messages.filter(({ role }) => role === "assistant").length;
  return [...summarised, told, own].reduce((sum, count) => sum + count, 0);
};

/** The step of a plan names itself in the middle of its task; of a conversation that goes on, the latest task counts. */
const toTask = (request: ModelRequest): string => {
  const texts = textsOf(request);
  const step = /YOUR TASK:\n(.+)/.exec(texts[0] ?? "")?.[1];
  const turn = texts.findLast((text) => text.startsWith("go on"));
  return step ?? turn ?? askedOf(request).task;
};

const toTurn = (seed: number, family: Family, asked: Asked, request: ModelRequest): ScriptedTurn => {
  const { agent, task, turn } = asked;
  const is: Pick = (most, ...words) => pick(most, seed, agent, task, turn, ...words);
  if (agent === "orchestrator") return { text: toReply(textsOf(request).join("\n"), is) };
  if (agent === "checker")
    return { text: ["ACCEPT", "ACCEPT: it is so", "REJECT: it is not so", "I cannot tell."][is(4, "verdict")] ?? "" };
  if (turn >= MOST_TURNS || is(4, "end") === 0) return { text: toEnding(family, asked, is) };
  const calls: ScriptedToolCall[] = [];
  for (let at = 0; at <= is(3, "calls"); at += 1) {
    const call = toCall(family, asked, at, is);
    if (call.isAlone) return { toolCalls: [call] };
    calls.push(call);
  }
  return { toolCalls: calls };
};

const toEnding = (family: Family, { agent, task, turn }: Asked, is: Pick): string => {
  const said = `${agent} ends ${task} at ${turn}.`;
  if (has(family, "plans")) return `${said}\nRESULT: ${is(4, "fails") === 0 ? "FAIL" : "PASS"}\nSUMMARY: ${said}`;
  if (!has(family, "forms") || agent === "main") return said;
  return is(3, "form") === 0 ? said : JSON.stringify({ done: said });
};

const WORDS = ["said", "taken back", "finish"] as const;

type GeneratedCall = ScriptedToolCall & { readonly isAlone?: boolean };

const OTHERS = ["words", "answers", "transfers", "plans"] as const;
type Other = (typeof OTHERS)[number];

const toCall = (family: Family, asked: Asked, at: number, is: Pick): GeneratedCall => {
  const { agent, task, turn } = asked;
  const isLeaf = agent === "worker" || agent === "builder";
  const others = OTHERS.filter((one) => has(family, one) && (one === "words" || one === "answers" || agent === "main"));
  const kinds = isLeaf ? 3 : 5;
  const kind = is(kinds + others.length, "kind", at);
  const callId = `${agent}-${task}-${turn}-${at}`.replaceAll(" ", "-");
  const what = `${task} ${turn} ${is(2, "same", at)}`;
  const other = others[kind - kinds];
  if (other !== undefined) return { ...toOtherCall(other, asked, what, (most, ...words) => is(most, ...words, at)), callId };
  if (kind === 0) return { tool: "look", input: { what }, callId };
  if (kind < 3) return { tool: "act", input: { what }, callId };
  const leaf = family.worktrees && is(2, "isolated", at) === 0 ? "builder" : "worker";
  const below = agent === "main" && is(2, "to", at) === 0 ? "middle" : leaf;
  // One at a time: which of several is heard of first is decided by the clock.
  const inBackground = family.background && at === 0 && agent === "main" ? { background: true } : {};
  const told = has(family, "summaries") && is(2, "told", at) === 0 ? { context_mode: "summary" } : {};
  return {
    ...delegateTo(below, `${task} ${is(3, "again", at) === 0 ? turn : "r"}${is(2, "task", at)}`, { ...inBackground, ...told }),
    callId,
    // Which of several has the last of what they share is decided by the clock, too.
    ...(family.limits.tokens === undefined ? {} : { isAlone: true }),
  };
};

const toOtherCall = (other: Other, { task, turn }: Asked, what: string, is: Pick): GeneratedCall => {
  switch (other) {
    case "words": {
      const how = WORDS[is(WORDS.length, "how")] ?? "said";
      // How far runs below have come when it is asked to finish is decided by the clock.
      return { tool: "hear", input: { what, how }, isAlone: how === "finish" };
    }
    case "answers":
      return { tool: "ask_user", input: { question: what } };
    // There is one conversation, and one who goes on with it.
    case "transfers":
      return { ...delegateTo(is(2, "to") === 0 ? "middle" : "worker", `${task} over`, { transfer: true }), isAlone: true };
    case "plans":
      return { tool: "execute_plan", input: toPlan(task, turn, is) };
    default:
      return other satisfies never;
  }
};

const toPlan = (task: string, turn: number, is: Pick) => {
  const ids = Array.from({ length: 1 + is(3, "steps") }, (_, at) => `s${at}`);
  return {
    goal: `reach ${task}`,
    steps: ids.map((id, at) => ({
      id,
      description: `${task} ${turn} ${id}`,
      expectedResult: `${id} is done`,
      type: "implementation",
      agent: is(3, id, "agent") === 0 ? "middle" : "worker",
      dependsOn: ids.slice(0, at).filter((other) => is(3, id, other) === 0),
      requiresApproval: is(3, id, "asked") === 0,
    })),
  };
};

const toReply = (asked: string, is: Pick): string => {
  if (asked.includes("VERDICT")) return JSON.stringify({ status: "pass", summary: "all was seen" });
  const recovery = { description: "mend it", expected_result: "it is mended" };
  if (is(3, asked, "recover") === 0 && !asked.includes("tried already"))
    return JSON.stringify({ decision: "recover", reason: "try", recovery_task: recovery });
  return JSON.stringify({ decision: is(3, asked, "stop") === 0 ? "stop" : "continue", reason: "so it is" });
};
