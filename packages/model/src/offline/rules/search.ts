/** What no special rule fits: reading, listing, and searching for what a question names. */
import type { PlannedCall } from "../calls.ts";
import { answerList, answerRead } from "../answer-files.ts";
import { answerOccurrences, answerSearch } from "../answer-search.ts";
import type { Findings } from "../findings.ts";
import { toFindings } from "../findings.ts";
import type { Intent } from "../question.ts";
import { toIntent } from "../question.ts";
import { rank } from "../ranking.ts";
import { planOccurrences, planReads, planSearch } from "../search-plan.ts";
import { loosen } from "../terms.ts";
import { CONNECT, listTexts, toAnswer } from "../wording.ts";
import type { Asked } from "./asked.ts";
import type { Job, Situation, Turn } from "./rule.ts";
import { callOr as orTurn, exchangesOf } from "./rule.ts";
import { unable } from "./talk.ts";

type Known = Situation & { readonly findings: Findings };

export const searchFor = (asked: Asked): Job => {
  const intent = toIntent(asked);
  switch (intent.type) {
    case "unable":
      return unable(intent.wanted);
    case "read":
      return { work: (at) => followRead(intent, know(at)) };
    case "list":
      return { work: (at) => followList(intent, know(at)) };
    case "occurrences":
      return { agent: "code-search", work: (at) => followOccurrences(intent, know(at)) };
    case "search":
      return { agent: "code-search", work: (at) => followSearch(intent, know(at)) };
    default:
      return intent satisfies never;
  }
};

const know = (at: Situation): Known => ({ ...at, findings: toFindings(exchangesOf(at)) });

const callOr = (text: string, calls: readonly PlannedCall[], otherwise: () => string): Turn =>
  orTurn(text, calls, () => answer(otherwise()));

const answer = (text: string): Turn => ({ type: "answer", text });

const noTools = (wanted: string): string =>
  toAnswer(`I would need ${wanted} for this, and it was not offered to me here, so nothing was looked up.`, CONNECT);

const followSearch = (intent: Intent & { type: "search" }, { turns, findings, offers }: Known): Turn => {
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

const followOccurrences = (intent: Intent & { type: "occurrences" }, { turns, findings, offers }: Known): Turn => {
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

const followRead = ({ path, from, to }: Intent & { type: "read" }, { turns, findings, offers }: Known): Turn => {
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

const followList = ({ path }: Intent & { type: "list" }, { turns, findings, offers }: Known): Turn => {
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
