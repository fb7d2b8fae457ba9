/** One step of a test case, by rules: does what the sentence says, looks, and reports what was seen in the two lines that a step ends with. */
import type { Offers, PlannedCall } from "../calls.ts";
import type { Exchange } from "../conversation.ts";
import type { ParsedAction } from "./parse-action.ts";
import { parseAction } from "./parse-action.ts";
import { SCREEN_RULES } from "./screen-rules.ts";

export type StepTurn =
  | { readonly type: "calls"; readonly text: string; readonly calls: readonly PlannedCall[] }
  | { readonly type: "answer"; readonly text: string };

export type StepTask = { readonly action: string; readonly expected: string };

/** What a step is told, taken apart; undefined for any other task. */
export const readStepTask = (task: string): StepTask | undefined => {
  const [, action, expected] =
    /YOUR TASK:\n([\s\S]*?)\n\nEXPECTED RESULT:\n([\s\S]*?)\n\n[^\n]*EXACTLY these two lines/.exec(task) ?? [];
  return action === undefined || expected === undefined ? undefined : { action, expected };
};

const WHO = "Rules in place of a model did this step.";

export const decideStep = (task: StepTask, exchanges: readonly Exchange[], offers: Offers): StepTurn => {
  const { action, expected } = task;
  const isOnScreen = worksOnScreen(action, offers);
  const look = isOnScreen ? "screenshot" : "browser_snapshot";
  const parsed = parseStep(action, isOnScreen);
  if (parsed.type === "unknown")
    return fail(`The rules do not understand ${JSON.stringify(parsed.sentence)}; such a step takes a real model.`);
  const done = exchanges.filter(({ tool }) => tool !== look || parsed.calls.some((call) => call.tool === look));
  const failed = done.find(({ isError }) => isError);
  if (failed) return fail(`${failed.tool} failed: ${firstLine(failed.text)}`);
  const next = parsed.calls[done.length];
  if (next) {
    if (!offers(next.tool)) return fail(`${next.tool} is needed for this, and is not there.`);
    return { type: "calls", text: `Doing: ${action.split("\n", 1)[0] ?? ""}`, calls: [next] };
  }
  const prose = expected.split("\n").filter(isForAgents);
  const command = done.findLast(({ tool }) => tool === "shell");
  const looked = exchanges.findLast(({ tool }) => tool === look);
  // A picture of the screen is kept of every step; a page is looked at where something is to be judged by it.
  if (!looked && offers(look) && (isOnScreen || (prose.length > 0 && !command)))
    return { type: "calls", text: `Looking at the ${isOnScreen ? "screen" : "page"}.`, calls: [{ tool: look, input: {} }] };
  if (prose.length === 0)
    return pass(
      `${toSummary(done)}${expected.includes(CHECKED) ? " What is expected is checked by the runner." : ""}`.trim() ||
        "There was nothing to do.",
    );
  const seen = isOnScreen ? command : (looked ?? command);
  if (!seen)
    return fail(
      isOnScreen
        ? `Whether ${JSON.stringify(prose[0])} holds takes a model that reads pictures to judge; a check of the case needs none.`
        : "There is nothing here to look at the result with.",
    );
  if (seen.isError) return fail(`The page could not be looked at: ${firstLine(seen.text)}`);
  return judge(prose, seen.text);
};

/** Where a case has both, the words of a step tell which is meant. */
const worksOnScreen = (action: string, offers: Offers): boolean =>
  offers("key") && (!offers("browser_press") || /\b(?:screen|terminal|window|editor|desktop)\b/i.test(withoutQuotes(action)));

const parseStep = (action: string, isOnScreen: boolean): ParsedAction => {
  if (LOOK_ONLY.test(action)) return { type: "calls", calls: [] };
  return isOnScreen ? parseAction(action, SCREEN_RULES) : parseAction(action);
};

const withoutQuotes = (text: string): string => text.replaceAll(/"[^"]*"/g, "");

/** Words of a precondition are nothing to be done, whatever verbs stand in them. */
const LOOK_ONLY = /^Find out whether this precondition holds\./;

const CHECKED = "[checked by the runner]";

/** What the runner checks itself, and where nothing is said that could be seen, is not. */
const isForAgents = (line: string): boolean => line.trim() !== "" && line !== "It is done." && !line.endsWith(CHECKED);

const NEGATED = /\b(?:no|not|never|without|absent|gone|disappears?|removed|hidden)\b/i;

/** Only words that stand in quotes can be looked for. */
const judge = (prose: readonly string[], seen: string): StepTurn => {
  const page = fold(seen);
  const found: string[] = [];
  for (const line of prose) {
    const quotes = [...line.matchAll(/"([^"]+)"/g)].map(([, quote = ""]) => quote);
    if (quotes.length === 0)
      return fail(
        `Whether ${JSON.stringify(line)} holds takes a real model to judge: it quotes nothing that rules could look for.`,
      );
    const isNegated = NEGATED.test(withoutQuotes(line));
    const wrong = quotes.find((quote) => page.includes(fold(quote)) === isNegated);
    if (wrong !== undefined)
      return fail(`${JSON.stringify(wrong)} is ${isNegated ? "still" : "not"} on the page. Expected: ${line}`);
    found.push(...quotes.map((quote) => `${JSON.stringify(quote)} is ${isNegated ? "not " : ""}shown`));
  }
  return pass(`${found.join(", ")}.`);
};

const fold = (text: string): string =>
  text
    .replaceAll(String.raw`\"`, '"')
    .replaceAll(/\s+/g, " ")
    .toLowerCase();

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

const toSummary = (exchanges: readonly Exchange[]): string => {
  const last = exchanges.at(-1);
  return last ? `${last.tool}: ${firstLine(last.text)}` : "";
};

const pass = (summary: string): StepTurn => ({ type: "answer", text: `${WHO}\n\nRESULT: PASS\nSUMMARY: ${oneLine(summary)}` });
const fail = (summary: string): StepTurn => ({ type: "answer", text: `${WHO}\n\nRESULT: FAIL\nSUMMARY: ${oneLine(summary)}` });

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
