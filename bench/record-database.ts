/** Fills a database with sessions as agents leave them, by the store's own appends: trees of runs, tool calls, words as people use them. */
import type { AssistantPart, EventDraft, RunId, SessionId } from "@retinue/protocol";
import { createSqliteLog } from "@retinue/store/sqlite";
import type { RunDrafts, SeededRandom } from "@retinue/store/testing";
import { createRunDrafts, createSeededRandom } from "@retinue/store/testing";

export type FillOptions = {
  readonly path: string;
  readonly messages: number;
  /** Called from time to time with the messages written so far. */
  readonly told?: (messages: number) => void;
};

/** In one message of all, in the middle. */
export const RARE_WORD = "quokkaphone";
/** In every answer. */
export const COMMON_WORD = "function";

const MESSAGES_A_SESSION = 1000;
const CHILDREN = 4;
const SYLLABLES = [
  "ba",
  "con",
  "der",
  "fi",
  "gra",
  "hel",
  "in",
  "jo",
  "ka",
  "lum",
  "mer",
  "no",
  "op",
  "pre",
  "qui",
  "ra",
  "ser",
  "to",
  "un",
  "ver",
];
const VOCABULARY = 30_000;

/** Few words often, many seldom. */
const createWords = (random: SeededRandom): ((count: number) => string) => {
  const words = Array.from({ length: VOCABULARY }, (_, at) => {
    let word = "";
    for (let left = at + SYLLABLES.length; left > 0; left = Math.floor(left / SYLLABLES.length))
      word += SYLLABLES[left % SYLLABLES.length];
    return word;
  });
  const pick = (): string => words[Math.floor(VOCABULARY ** (random.below(1_000_000) / 1_000_000)) - 1] ?? "";
  return (count) => Array.from({ length: count }, pick).join(" ");
};

const callOf = (child: number): string => `d${child}`;

export const fillDatabase = async ({ path, messages, told }: FillOptions): Promise<{ readonly sessions: number }> => {
  const log = createSqliteLog({ path });
  const random = createSeededRandom(1);
  const words = createWords(random);
  const sessions = Math.ceil(messages / MESSAGES_A_SESSION);
  const begin = Date.UTC(2026, 0, 1);

  for (let number = 0; number < sessions; number += 1) {
    const sessionId: SessionId = `ses_${number}`;
    let count = 0;
    const at = (): string => new Date(begin + number * 600_000 + 200 * count++).toISOString();
    const mainId: RunId = `run_${number}`;
    const main = createRunDrafts({ sessionId, runId: mainId, at });
    await log.append([main.requested(words(12))]);
    const lease = await log.lease(mainId);
    const delegations = Array.from({ length: CHILDREN }, (_, child): AssistantPart => ({
      type: "tool-call",
      callId: callOf(child),
      tool: "delegate_to_agent",
      arguments: "{}",
    }));
    await log.append([main.started(lease.epoch), main.asked(1), main.answered(1, delegations)], lease);
    // A run's own row, its delegation and the main run's three rows are messages too.
    const steps = Math.floor((MESSAGES_A_SESSION - 3 - 2 * CHILDREN) / CHILDREN / 2);
    for (let child = 0; child < CHILDREN; child += 1) {
      const run = createRunDrafts({
        sessionId,
        runId: `run_${number}_${child}`,
        parentRunId: mainId,
        depth: 1,
        agent: ["researcher", "executor", "reviewer", "tester"][child % 4] ?? "executor",
        at,
      });
      await log.append(
        [
          main.toolStarted(callOf(child), { tool: "delegate_to_agent" }),
          run.requested(words(20), { parentCallId: callOf(child) }),
        ],
        lease,
      );
      const childLease = await log.lease(run.identity.runId);
      await log.append(
        [
          run.started(childLease.epoch),
          ...stepsOf(run, steps, words, number * 2 === sessions && child === 0),
          run.settled({ summary: words(20) }),
        ],
        childLease,
      );
      await log.append([main.toolSettled(callOf(child), words(20), { tool: "delegate_to_agent" })], lease);
    }
    await log.append([main.asked(2), main.answered(2, words(30)), main.settled({ summary: words(10) })], lease);
    if (number % 50 === 49) told?.((number + 1) * MESSAGES_A_SESSION);
  }
  // Brings the index up to date, as a pause would.
  await log.readSide.search(RARE_WORD);
  await log.close();
  return { sessions };
};

const stepsOf = (run: RunDrafts, steps: number, words: (count: number) => string, isRare: boolean): readonly EventDraft[] =>
  Array.from({ length: steps }, (_, step): EventDraft[] => {
    const callId = `c${step}`;
    const said = `${COMMON_WORD} ${words(20)}${isRare && step === 7 ? ` ${RARE_WORD}` : ""}`;
    return [
      run.asked(step),
      run.answered(step, [
        { type: "text", text: said },
        { type: "tool-call", callId, tool: "read", arguments: '{"path":"src/a.ts"}' },
      ]),
      run.toolStarted(callId),
      run.toolSettled(callId, words(40)),
    ];
  }).flat();
