/**
 * Which steps of a case the sub-tasks of a plan are for, where they do not say it: in order, at least one for each step, so that they share the most words with
 * their steps. What is implied shares none, and belongs to the step after it.
 */
export type ToAssign = {
  /** The words of each step of the case. */
  readonly steps: readonly string[];
  /** `step`: the one that it says it is for, counted from 1. */
  readonly tasks: readonly { readonly text: string; readonly step: number | null }[];
};

/** Little words, and those of tests, say nothing about which step is meant. */
const COMMON: ReadonlySet<string> = new Set(
  "a an and are as at be by click for from has in into is it its of on or page seen shown step that the then this to user with".split(
    " ",
  ),
);

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !COMMON.has(word)));

/** The last sub-task of a step is what the step is judged after: this decides only between assignments that are otherwise alike. */
const LAST_SHARE = 0.1;

type Reached = { readonly score: number; readonly path: readonly number[] };

/** The step of each sub-task, counted from 1; or what is wrong, where nobody could tell. */
export const assignSubTasks = ({ steps, tasks }: ToAssign): readonly number[] | string => {
  const words = steps.map(wordsOf);
  const likeness = tasks.map(({ text, step }) => {
    const own = wordsOf(text);
    return words.map((ofStep, at) =>
      step === null ? weigh(own.intersection(ofStep), words) : step === at + 1 ? 1 + own.size : Number.NEGATIVE_INFINITY,
    );
  });
  const of = (task: number, step: number): number => likeness[task]?.[step] ?? Number.NEGATIVE_INFINITY;
  // What can be reached with the tasks so far, by the step of the last one.
  let reached: readonly (Reached | null)[] = steps.map((_, step) => (step === 0 ? { score: of(0, 0), path: [1] } : null));
  for (let task = 1; task < tasks.length; task += 1)
    reached = steps.map((_, step) => {
      const [same, before] = [reached[step] ?? null, reached[step - 1] ?? null];
      const next = before && { ...before, score: before.score + LAST_SHARE * of(task - 1, step - 1) };
      const best = same && next ? (same.score >= next.score ? same : next) : (same ?? next);
      return best && { score: best.score + of(task, step), path: [...best.path, step + 1] };
    });
  const end = reached.at(-1);
  if (!end || !Number.isFinite(end.score)) return "does not follow the steps of the case";
  const unlike = steps.findIndex((_, step) => end.path.every((number, task) => number !== step + 1 || of(task, step) <= 0));
  return unlike < 0 ? end.path : `does not tell which sub-tasks are for step ${unlike + 1}`;
};

/** A word that many steps have says little. */
const weigh = (shared: ReadonlySet<string>, steps: readonly ReadonlySet<string>[]): number =>
  [...shared].reduce((sum, word) => sum + 1 / steps.filter((step) => step.has(word)).length, 0);
