/**
 * Reads the sub-tasks of a test case from what a model wrote: alone, in a fenced block, inside prose, after its thoughts, as an array, with trailing commas. Only
 * how it is written is forgiven: what says nothing that could be done is no plan.
 */

export type ReadSubTask = {
  /** Of the case; null where it is not said. */
  readonly step: number | null;
  readonly description: string;
  readonly expectedResult: string;
};

const LISTS = ["sub_tasks", "subTasks", "subtasks", "tasks", "steps", "plan"];
const DESCRIPTIONS = ["description", "task", "action", "title"];
const RESULTS = ["expected_result", "expectedResult", "expected", "result"];
const STEPS = ["step", "step_number", "stepNumber"];

/** Null where there is none. The last plan of a text is meant. */
export const readSubTasks = (text: string): readonly ReadSubTask[] | null => {
  const [said = ""] = text.split(/<\/think(?:ing)?>/i).slice(-1);
  for (const { from, to } of findValues(said)) {
    const tasks = toSubTasks(parse(said.slice(from, to)));
    if (tasks) return tasks;
  }
  return null;
};

type Span = { readonly from: number; readonly to: number };

/** So many values are tried, those that end last first, the outer before the inner. */
const MOST_VALUES = 200;

/** Everything that stands between two brackets of a kind. */
const findValues = (text: string): readonly Span[] => {
  const open: { readonly from: number; readonly closing: string }[] = [];
  const found: Span[] = [];
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\\n]|\\.)*"|[[\]{}]/g)) {
    if (token === "{" || token === "[") open.push({ from: index, closing: token === "{" ? "}" : "]" });
    else if (open.at(-1)?.closing === token) found.push({ from: open.pop()?.from ?? index, to: index + 1 });
  }
  return found.toSorted((one, other) => other.to - one.to).slice(0, MOST_VALUES);
};

const parse = (text: string): unknown => {
  for (const candidate of [text, withoutTrailingCommas(text)])
    try {
      return JSON.parse(candidate);
    } catch {
      // Not this one.
    }
  return undefined;
};

const withoutTrailingCommas = (text: string): string =>
  text.replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])/g, (_, quoted: string | undefined) => quoted ?? "");

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

const toSubTasks = (value: unknown): readonly ReadSubTask[] | null => {
  const list: unknown = isFields(value) ? LISTS.map((name) => value[name]).find(Array.isArray) : value;
  if (!Array.isArray(list) || list.length === 0) return null;
  const tasks = list.flatMap((one: unknown) => toSubTask(one) ?? []);
  return tasks.length === list.length ? tasks : null;
};

const toSubTask = (value: unknown): ReadSubTask | null => {
  if (!isFields(value)) return null;
  const description = textIn(value, DESCRIPTIONS);
  if (description === undefined) return null;
  const step = STEPS.map((name) => value[name]).find((one) => Number.isSafeInteger(one) && Number(one) > 0);
  return {
    step: typeof step === "number" ? step : null,
    description,
    expectedResult: textIn(value, RESULTS) ?? "It is done.",
  };
};

const textIn = (value: Fields, names: readonly string[]): string | undefined =>
  names
    .map((name) => value[name])
    .find((one): one is string => typeof one === "string" && one.trim() !== "")
    ?.trim();
