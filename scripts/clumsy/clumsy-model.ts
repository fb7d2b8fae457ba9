/**
 * A model that knows what to do and makes the mistakes that were drawn for it. How it takes a refusal is drawn, too: it follows one that tells what to do,
 * says the same again first, or never follows and gives up. Everything is decided by the seed and by what the run answers.
 */
import type { ModelRequest } from "@retinue/model/contract";
import type { ScriptedTurn } from "@retinue/model/testing";
import type { Message } from "@retinue/protocol";
import type { Act, Goal } from "./goal.ts";
import type { Mistake } from "./mistake.ts";

export type Temper = {
  /** How often it repeats a refused call before it follows what the refusal tells. */
  readonly stubbornness: number;
  /** Whether it claims to be done where it gave up. */
  readonly bluffs: boolean;
};

export type ClumsyPlan = {
  readonly goal: Goal;
  readonly temper: Temper;
  /** By the number of the act. */
  readonly mistakes: ReadonlyMap<number, Mistake>;
  readonly childMistakes: ReadonlyMap<number, Mistake>;
  /** Changes a file as somebody else would. */
  readonly touch: (file: string) => void;
};

const MOST_TRIES = 4;
const MOST_TURNS = 40;
const GIVEN_UP = "I could not do it: the calls were refused. The goal is not met.";

/** What a speaker is about to say, and why. */
type Said = { readonly type: "act" | "mistake" | "talk" | "end"; readonly acts: readonly Act[] };

/** Speaks for the main agent and for the sub-agent, each with a place of its own in the plan. */
export const createClumsySpeaker = (plan: ClumsyPlan): ((request: ModelRequest) => ScriptedTurn) => {
  const { goal } = plan;
  const main = createSpeaker(plan, goal.acts, plan.mistakes, goal.claim);
  const children = new Map<string, (request: ModelRequest) => ScriptedTurn>();
  return (request) => {
    if (!request.system.includes("## Sub-Agent Context")) return main(request);
    const key = JSON.stringify(request.messages[0]);
    let child = children.get(key);
    if (!child || !request.messages.some(({ role }) => role === "assistant")) {
      child = createSpeaker(plan, goal.childActs ?? [], children.has(key) ? new Map() : plan.childMistakes, goal.claim);
      children.set(key, child);
    }
    return child(request);
  };
};

const createSpeaker = (
  { temper, touch }: ClumsyPlan,
  acts: readonly Act[],
  mistakes: ReadonlyMap<number, Mistake>,
  claim: string,
): ((request: ModelRequest) => ScriptedTurn) => {
  let at = 0;
  let turns = 0;
  let talked = 0;
  let tries = 0;
  let queue: Act[] = [];
  let isMistaken = true;
  let last: Said = { type: "talk", acts: [] };

  const advance = (): void => {
    at += 1;
    talked = 0;
    tries = 0;
    isMistaken = true;
  };
  const end = (text: string): ScriptedTurn => {
    last = { type: "end", acts: [] };
    return { text };
  };
  const give = (type: Said["type"], made: readonly Act[]): ScriptedTurn => {
    last = { type, acts: made };
    return { toolCalls: made.map(({ tool, input }) => ({ tool, input })) };
  };

  /** Takes in what came of the latest turn. Gives the last words where it gives up. */
  const hear = (answer: Answer): string | null => {
    if (last.type === "talk" && answer.isWarned) talked = Infinity;
    if (last.type !== "act" && last.type !== "mistake") return null;
    if (!answer.isRefused) {
      if (queue.length > 0) return null;
      for (const _ of last.acts) advance();
      return null;
    }
    tries += 1;
    queue = [];
    const act = acts[at];
    const mistake = mistakes.get(at);
    if (!act || tries > MOST_TRIES) return temper.bluffs ? claim : GIVEN_UP;
    if (last.type === "mistake" && mistake) {
      const isTold = (mistake.isTold ?? namesMissing)(answer.text, act);
      if (isTold && (tries > temper.stubbornness || answer.isWarned)) {
        isMistaken = false;
        queue = [...(mistake.mended?.(act) ?? [act])];
      }
    } else if (/read it|read the file|not read/i.test(answer.text))
      queue = [{ tool: "read", input: { path: act.input["path"] ?? "" } }, act];
    return null;
  };

  return (request) => {
    turns += 1;
    const answer = readAnswer(request.messages);
    if (request.toolChoice === "none") return end(GIVEN_UP);
    if (last.type === "end") return end(at >= acts.length ? claim : GIVEN_UP);
    const words = hear(answer);
    if (words !== null || turns > MOST_TURNS) return end(words ?? GIVEN_UP);
    const next = queue.shift();
    if (next) return give("act", [next]);
    for (;;) {
      const act = acts[at];
      if (!act) return end(claim);
      // Whoever hears that it is the last turn makes what is left in one go.
      if (answer.isLastTurn) return give("act", acts.slice(at));
      const mistake = mistakes.get(at);
      if (!mistake || !isMistaken) return give("act", [act]);
      if (mistake.kind === "skip") {
        advance();
        continue;
      }
      if (mistake.kind === "turn") {
        if (talked >= (mistake.times ?? 1)) return give("act", [act]);
        talked += 1;
        last = { type: "talk", acts: [] };
        return mistake.say(act);
      }
      const file = mistake.touches?.(act);
      if (file !== undefined && tries === 0) touch(file);
      last = { type: "mistake", acts: [act] };
      return mistake.say(act);
    }
  };
};

type Answer = {
  readonly text: string;
  readonly isRefused: boolean;
  readonly isWarned: boolean;
  readonly isLastTurn: boolean;
};

/** What was said since the latest answer of the model. */
const readAnswer = (messages: readonly Message[]): Answer => {
  const heard = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  const text = heard.map(({ content }) => content.map((part) => (part.type === "text" ? part.text : "")).join("\n")).join("\n");
  return {
    text,
    isRefused: heard.some((message) => message.role === "tool" && message.isError),
    isWarned: /\[retinue\][^\n]*same/i.test(text),
    isLastTurn: /\[retinue\][^\n]*one (?:more )?turn/i.test(text),
  };
};

const namesMissing = (answer: string, { input }: Act): boolean => Object.keys(input).every((key) => answer.includes(key));
