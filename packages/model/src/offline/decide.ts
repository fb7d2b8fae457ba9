/** From a request to the next turn, as a pure function: the rules by which the offline model works. */
import type { ModelRequest } from "../contract.ts";
import { createOffers } from "./calls.ts";
import type { Exchange } from "./conversation.ts";
import { toConversation } from "./conversation.ts";
import { fromTask, isDelegation, planDelegation, reportDelegation } from "./delegation.ts";
import { digestExchanges, digestTranscript } from "./digest.ts";
import { toAsked } from "./rules/asked.ts";
import { toJob } from "./rules/index.ts";
import type { Job, Situation, Turn } from "./rules/rule.ts";
import { decideOrchestrator } from "./test-cases/decide-orchestrator.ts";
import { decideStep, readStepTask } from "./test-cases/decide-step.ts";
import { clip, toAnswer, withoutBanner } from "./wording.ts";

export type { Turn } from "./rules/rule.ts";
export { isOfflineUnable } from "./rules/talk.ts";

export const decide = (request: ModelRequest): Turn => {
  const { question: task, turns } = toConversation(request.messages);
  if (request.tools.length === 0 && /\b(?:compress|summari[sz]e)\b/i.test(request.system))
    return answer(summarise(task, request));
  const testCase = decideTestCase(request, task, turns.flat());
  if (testCase) return testCase;
  const { question, mayDelegate } = fromTask(task);
  const tools = request.toolChoice === "none" ? [] : request.tools;
  const exchanges = turns.flat();
  const own = turns.filter((turn) => !turn.some(isDelegation));
  const situation: Situation = { turns: own, offers: createOffers(tools) };
  const job = toJob(toAsked(question));

  const delegated = exchanges.findLast(isDelegation);
  if (delegated && !delegated.isError) return answer(reportDelegation(delegated));
  if (!delegated && mayDelegate && job.agent !== undefined) {
    const call = planDelegation(job.agent, question, tools);
    if (call) return { type: "calls", text: `Handing the question to the ${job.agent} agent.`, calls: [call] };
  }
  const turn =
    request.toolChoice === "none" && exchanges.length > 0 ? answer(handIn(job, situation, exchanges)) : job.work(situation);
  return delegated && turn.type === "answer" && own.length === 0
    ? answer(toAnswer(`The ${job.agent ?? "other"} agent could not help: ${clip(delegated.text, 500)}`))
    : turn;
};

/** Test cases of simple sentences are run for real: their plans, their steps and their verdicts. */
const decideTestCase = (request: ModelRequest, task: string, exchanges: readonly Exchange[]): Turn | undefined => {
  const decided = decideOrchestrator(task);
  if (decided) return answer(JSON.stringify(decided));
  const step = readStepTask(task);
  return step && decideStep(step, exchanges, createOffers(request.toolChoice === "none" ? [] : request.tools));
};

const answer = (text: string): Turn => ({ type: "answer", text });

/** What there is, when the run may go no further. */
const handIn = (job: Job, situation: Situation, exchanges: readonly Exchange[]): string => {
  const isOurs = situation.turns.flat().some(({ tool, isError }) => !isError && OURS.has(tool));
  return toAnswer(
    "The run has to end here. What was found so far:",
    isOurs ? withoutBanner(job.work(situation).text) : digestExchanges(exchanges),
  );
};

/** Tools whose outputs the rules read. */
const OURS: ReadonlySet<string> = new Set(["grep", "glob", "read", "ls", "git", "git_diff", "overview", "test", "edit", "write"]);

const CHARS_A_TOKEN = 4;

const summarise = (transcript: string, { maxOutputTokens = 500 }: ModelRequest): string =>
  toAnswer(digestTranscript(transcript, Math.max(200, (maxOutputTokens - 40) * CHARS_A_TOKEN)));
