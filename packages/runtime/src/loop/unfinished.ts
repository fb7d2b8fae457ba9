/** Answers that are none yet: cut off, a promise, a question that nobody is asked, or a greeting. Each run is told so once, and one that was cut goes on. */
import type { RunState } from "../record/run-state.ts";
import type { Ports } from "./ports.ts";

/** How often an answer that was cut off is continued. */
const MOST_CUTS = 3;

const CUT = "Your answer was cut off at the output limit. Go on exactly where it stopped, without repeating anything.";
const PROMISED =
  "Your last message says what you will do, and no tool was called. Make the calls now. If the task is done, answer with its result.";
const GREETED = "Your last message does not do the task. Make the calls now, or answer what was asked.";
const ASKED = "Nobody reads a question at the end of an answer. Decide yourself, say what you assumed, and do the task.";
const ASKED_OF_USER =
  "Nobody reads a question at the end of an answer. Ask it with ask_user if only the user can decide; else decide yourself and do the task.";

/** What the agent is told, or null where its answer is one. */
export const findUnfinished = (state: RunState, tools: Ports["tools"]): string | null => {
  if (state.cut && state.cuts < MOST_CUTS) return CUT;
  const { output, ending, model } = state.spec;
  // Results by a form of their own are checked for it, and rules do not change their mind.
  if (state.nudged || output !== undefined || ending !== undefined || model.startsWith("offline/") || state.transferredTo)
    return null;
  const text = state.lastText.trim();
  if (isPromise(text)) return PROMISED;
  const { toolCalls } = state.used;
  if (toolCalls === 0 && tools.size > 0 && isGreeting(text)) return GREETED;
  if (state.filesModified.size + state.filesCreated.size > 0 || !text.endsWith("?")) return null;
  if (tools.has("ask_user")) return ASKED_OF_USER;
  return state.identity.depth > 0 ? ASKED : null;
};

const FIRST_PERSON_FUTURE =
  /\b(?:i['’]ll|i will|i['’]m (?:going|about) to|i am (?:going|about) to|i need to|let me|let us|let['’]s)\b/i;
/** What stands at the end of many answers that are done. */
const POLITE =
  /\b(?:let (?:me|us) know|i(?:['’]ll| will) (?:be (?:happy|glad|here)|wait|leave|stop)|if you|once you|when you|unless you|feel free)\b/i;

const lastSentence = (text: string): string => text.split(/(?<=[.!?:])\s+/).at(-1) ?? "";

const isPromise = (text: string): boolean => {
  const last = lastSentence(text);
  return FIRST_PERSON_FUTURE.test(last) && !POLITE.test(last) && !last.endsWith("?");
};

const LONGEST_GREETING = 200;

const isGreeting = (text: string): boolean =>
  text.length < LONGEST_GREETING &&
  /^(?:sure|certainly|of course|absolutely|okay|ok|got it|understood|great|happy to)\b/i.test(text) &&
  /\b(?:help|assist|start|begin|right away|get (?:started|going))\b/i.test(text);
