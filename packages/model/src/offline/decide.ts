/** From a request to the next turn, as a pure function: the rules by which the offline model works. */
import type { ModelRequest } from "../contract.ts";
import { answerList, answerOverview, answerRead } from "./answer-files.ts";
import { answerOccurrences, answerSearch } from "./answer-search.ts";
import type { Offers, PlannedCall } from "./calls.ts";
import { createOffers } from "./calls.ts";
import type { Exchange } from "./conversation.ts";
import { toConversation } from "./conversation.ts";
import { fromTask, isDelegation, planDelegation, reportDelegation } from "./delegation.ts";
import { digestExchanges, digestTranscript } from "./digest.ts";
import type { Findings } from "./findings.ts";
import { toFindings } from "./findings.ts";
import type { Intent } from "./question.ts";
import { toIntent } from "./question.ts";
import { rank } from "./ranking.ts";
import { planOccurrences, planReads, planSearch } from "./search-plan.ts";
import { decideOrchestrator } from "./test-cases/decide-orchestrator.ts";
import { decideStep, readStepTask } from "./test-cases/decide-step.ts";
import { loosen } from "./terms.ts";
import { ABLE, BANNER, clip, CONFIGURE, listTexts, toAnswer, withoutBanner } from "./wording.ts";

export type Turn =
  | { readonly type: "calls"; readonly text: string; readonly calls: readonly PlannedCall[] }
  | { readonly type: "answer"; readonly text: string };

type Situation = {
  /** The turns in which the tools were called directly. */
  readonly turns: readonly (readonly Exchange[])[];
  readonly findings: Findings;
  /** Nothing is offered once the run has to hand in. */
  readonly offers: Offers;
};

export const decide = (request: ModelRequest): Turn => {
  const { question: task, turns } = toConversation(request.messages);
  if (request.tools.length === 0 && /\b(?:compress|summari[sz]e)\b/i.test(request.system))
    return answer(summarise(task, request));
  const testCase = decideTestCase(request, task, turns.flat());
  if (testCase) return testCase;
  const { question, mayDelegate } = fromTask(task);
  const tools = request.toolChoice === "none" ? [] : request.tools;
  const exchanges = turns.flat();
  const offers = createOffers(tools);
  const own = turns.filter((turn) => !turn.some(isDelegation));
  const situation: Situation = { turns: own, findings: toFindings(own.flat()), offers };
  const intent = toIntent(question);

  const delegated = exchanges.findLast(isDelegation);
  if (delegated && !delegated.isError) return answer(reportDelegation(delegated));
  if (delegated && !offers("grep", "pattern"))
    return answer(toAnswer(`The code-search agent could not help: ${clip(delegated.text, 500)}`));
  if (!delegated && mayDelegate && isAboutCode(intent)) {
    const call = planDelegation(question, tools);
    if (call) return { type: "calls", text: "Handing the question to the code-search agent.", calls: [call] };
  }
  if (request.toolChoice === "none" && exchanges.length > 0) return answer(handIn(intent, situation, exchanges));
  return follow(intent, situation);
};

/** Test cases of simple sentences are run for real: their plans, their steps and their verdicts. */
const decideTestCase = (request: ModelRequest, task: string, exchanges: readonly Exchange[]): Turn | undefined => {
  const decided = decideOrchestrator(task);
  if (decided) return answer(JSON.stringify(decided));
  const step = readStepTask(task);
  return step && decideStep(step, exchanges, createOffers(request.toolChoice === "none" ? [] : request.tools));
};

const answer = (text: string): Turn => ({ type: "answer", text });

const isAboutCode = ({ type }: Intent): boolean => type === "search" || type === "occurrences" || type === "overview";

const follow = (intent: Intent, situation: Situation): Turn => {
  switch (intent.type) {
    case "help":
      return answer(toAnswer("Hello. No model is configured, so rules answer.", ABLE, CONFIGURE));
    case "unable":
      return answer(toAnswer(UNABLE[intent.wanted], CONFIGURE, ABLE));
    case "read":
      return followRead(intent, situation);
    case "list":
      return followList(intent, situation);
    case "overview":
      return followOverview(situation);
    case "occurrences":
      return followOccurrences(intent, situation);
    case "search":
      return followSearch(intent, situation);
    default:
      return intent satisfies never;
  }
};

const UNABLE: Record<Extract<Intent, { type: "unable" }>["wanted"], string> = {
  change: "To write or change code, or to run commands, takes a real model; I follow rules and change nothing.",
  translate: "To translate takes a real model.",
  explain: "To explain takes a real model, and the question names nothing that I could look up.",
  talk: "To talk about this takes a real model.",
};

/** Whether an answer of the rules says that they cannot do what was asked. */
export const isOfflineUnable = (text: string): boolean =>
  text.startsWith(BANNER) && Object.values(UNABLE).some((sentence) => text.includes(sentence));

/** Calls when there are any to make, else the answer. */
const callOr = (text: string, calls: readonly PlannedCall[], otherwise: () => string): Turn =>
  calls.length > 0 ? { type: "calls", text, calls } : answer(otherwise());

const noTools = (wanted: string): string =>
  toAnswer(`I would need ${wanted} for this, and it was not offered to me here, so nothing was looked up.`, CONFIGURE);

const followSearch = (intent: Intent & { type: "search" }, { turns, findings, offers }: Situation): Turn => {
  const { terms, explain } = intent;
  const looser = loosen(terms);
  const loosened = turns.length > 1 && rank(toFindings(turns[0] ?? []), terms).length === 0 ? looser : [];
  const report = (): string => answerSearch({ terms, findings, explain, loosened });
  if (turns.length === 0)
    return callOr(`Searching for ${listTexts(terms.slice(0, 4).map((term) => term.text))}.`, planSearch(terms, offers), () =>
      noTools("grep or glob"),
    );
  const ranked = rank(findings, [...terms, ...loosened]);
  if (findings.excerpts.length > 0 || turns.length > 2) return answer(report());
  if (ranked.length > 0) return callOr("Reading the likeliest places.", planReads(ranked, offers), report);
  if (turns.length === 1) return callOr("Nothing found; searching more loosely.", planSearch(looser, offers), report);
  return answer(report());
};

const followOccurrences = (intent: Intent & { type: "occurrences" }, { turns, findings, offers }: Situation): Turn => {
  const { terms, filesOnly } = intent;
  const looser = loosen(terms);
  const report = (): string => answerOccurrences({ terms, findings, loosened: turns.length > 1 ? looser : [] });
  if (turns.length === 0)
    return callOr(
      `Searching for ${listTexts(terms.slice(0, 1).map((term) => term.text))}.`,
      planOccurrences(terms, filesOnly, offers),
      () => noTools("grep"),
    );
  const isEmpty = findings.lines.length === 0 && findings.files.length === 0;
  if (isEmpty && turns.length === 1)
    return callOr("Nothing found; searching more loosely.", planOccurrences(looser, filesOnly, offers), report);
  return answer(report());
};

const followRead = ({ path, from, to }: Intent & { type: "read" }, { turns, findings, offers }: Situation): Turn => {
  const read = (file: string): PlannedCall => ({
    tool: "read",
    input: {
      path: file,
      ...(from === undefined || to === undefined ? {} : { offset: from, limit: Math.min(to - from + 1, 2000) }),
    },
  });
  const report = (): string => answerRead(path, findings);
  if (!offers("read", "path") && turns.length === 0) return answer(noTools("read"));
  if (turns.length === 0) {
    const name = path.split("/").at(-1) ?? path;
    const similar: PlannedCall = { tool: "glob", input: { pattern: name } };
    return { type: "calls", text: `Reading ${path}.`, calls: [read(path), ...(offers("glob", "pattern") ? [similar] : [])] };
  }
  const [other] = findings.paths.filter((each) => each.endsWith(path)).concat(findings.paths);
  const again =
    findings.excerpts.length === 0 && turns.length === 1 && other !== undefined && other !== path && offers("read", "path");
  return again ? { type: "calls", text: `Reading ${other}.`, calls: [read(other)] } : answer(report());
};

const followList = ({ path }: Intent & { type: "list" }, { turns, findings, offers }: Situation): Turn => {
  const report = (): string => answerList(path, findings);
  const below: PlannedCall = {
    tool: "glob",
    input: { pattern: path === "." ? "**" : `**/${path.replace(/^\.?\/|\/$/g, "")}/**` },
  };
  if (turns.length === 0) {
    const listing = path === "." ? "Listing this folder." : `Listing ${path}.`;
    if (offers("ls", "path")) return { type: "calls", text: listing, calls: [{ tool: "ls", input: { path } }] };
    return callOr(listing, offers("glob", "pattern") ? [below] : [], () => noTools("ls or glob"));
  }
  const isEmpty = findings.listings.length === 0 && findings.paths.length === 0;
  return isEmpty && turns.length === 1 && offers("glob", "pattern")
    ? { type: "calls", text: `Looking for a folder named ${path}.`, calls: [below] }
    : answer(report());
};

const ABOUT_PROJECTS = [
  "README*",
  "readme*",
  "package.json",
  "pyproject.toml",
  "Cargo.toml",
  "go.mod",
  "pom.xml",
  "composer.json",
];
const MOST_ABOUT = 3;

const followOverview = ({ turns, findings, offers }: Situation): Turn => {
  if (turns.length === 0) {
    const calls: PlannedCall[] = [
      ...(offers("ls", "path") ? [{ tool: "ls", input: { path: ".", depth: 2 } }] : []),
      ...(offers("glob", "pattern") ? [{ tool: "glob", input: { pattern: `{${ABOUT_PROJECTS.join(",")}}` } }] : []),
    ];
    return callOr("Looking at what is in the workspace.", calls, () => noTools("ls or glob"));
  }
  const report = (): string => answerOverview(findings);
  if (turns.length > 1 || !offers("read", "path", "limit")) return answer(report());
  // What lies nearest to the root speaks for all of it.
  const about = findings.paths
    .toSorted((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1))
    .filter((path, index, all) => all.findIndex((other) => baseOf(other) === baseOf(path)) === index);
  return callOr(
    "Reading what describes the project.",
    about.slice(0, MOST_ABOUT).map((path) => ({ tool: "read", input: { path, limit: 60 } })),
    report,
  );
};

const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1).toLowerCase();

/** What there is, when the run may go no further. */
const handIn = (intent: Intent, situation: Situation, exchanges: readonly Exchange[]): string => {
  const { findings } = situation;
  const isOurs =
    findings.lines.length + findings.files.length + findings.paths.length + findings.excerpts.length + findings.listings.length >
    0;
  const isAnswerable = isOurs && intent.type !== "help" && intent.type !== "unable";
  return toAnswer(
    "The run has to end here. What was found so far:",
    isAnswerable ? withoutBanner(follow(intent, situation).text) : digestExchanges(exchanges),
  );
};

const CHARS_A_TOKEN = 4;

const summarise = (transcript: string, { maxOutputTokens = 500 }: ModelRequest): string =>
  toAnswer(digestTranscript(transcript, Math.max(200, (maxOutputTokens - 40) * CHARS_A_TOKEN)));
