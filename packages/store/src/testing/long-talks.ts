/** Sessions that take room: an agent that reads many files, all of them with words of their own. */
import type { SessionId } from "@retinue/protocol";
import type { EventLog } from "../contract.ts";
import { createSeededRandom } from "./seeded-random.ts";
import { createRunDrafts } from "./session-drafts.ts";

export type LongTalkOptions = {
  readonly sessionId: SessionId;
  /** Each is four events, of which one holds a file. */
  readonly steps?: number;
  readonly wordsOfFile?: number;
  /** How many words there are. */
  readonly vocabulary?: number;
};

/** A settled session; by default it has 43 events, and about 90 KB of text. */
export const recordLongTalk = async (log: EventLog, options: LongTalkOptions): Promise<void> => {
  const { sessionId, steps = 10, wordsOfFile = 1_000, vocabulary = 30_000 } = options;
  const random = createSeededRandom(Number(sessionId.replaceAll(/\D/gu, "")) + 1);
  const words = (count: number): string =>
    Array.from({ length: count }, () => `word${random.below(vocabulary).toString(36)}`).join(" ");
  const run = createRunDrafts({ sessionId, runId: `run_${sessionId.slice(4)}` });
  await log.append([run.requested(words(30))]);
  const lease = await log.lease(run.identity.runId);
  await log.append([run.started(lease.epoch)], lease);
  for (let step = 1; step <= steps; step += 1) {
    const callId = `c${step}` as const;
    const call = { type: "tool-call", callId, tool: "read", arguments: `{"path":"${words(1)}.ts"}` } as const;
    await log.append([run.asked(step), run.answered(step, [{ type: "text", text: words(40) }, call])], lease);
    await log.append([run.toolStarted(callId), run.toolSettled(callId, words(wordsOfFile))], lease);
  }
  await log.append([run.settled({ summary: words(30) })], lease);
};
