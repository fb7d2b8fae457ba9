/** Tries planted changes one after the other in one copy of the tree, and tells which of them no test noticed. */
import { copyTree } from "./copy-tree.ts";
import type { Mutation } from "./mutation.ts";
import type { Trial } from "./try-mutation.ts";
import { tryMutation, tryTests } from "./try-mutation.ts";

export type MutationRun = {
  readonly root: string;
  readonly mutations: readonly Mutation[];
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Of the first of them, for a run that goes on where one before was ended. */
  readonly firstNumber?: number;
};

export type MutationFigures = { readonly tried: number; readonly noticed: number; readonly failures: readonly string[] };

/** The tests must pass before anything is planted; otherwise that they fail says nothing. */
export const runMutations = async ({ root, mutations, signal, say, firstNumber = 1 }: MutationRun): Promise<MutationFigures> => {
  const copy = copyTree(root);
  const failures: string[] = [];
  let tried = 0;
  let noticed = 0;
  try {
    const tests = [...new Set(mutations.flatMap((mutation) => mutation.tests))];
    say(`Without any change: ${tests.length} test files.`);
    const untouched = await tryTests(tests, { root: copy.root, signal, timeoutMs: 1_800_000 });
    if (signal.aborted) return { tried, noticed, failures };
    if (untouched.type !== "survived")
      return { tried, noticed, failures: [`Nothing was planted: the tests do not pass as they are (${describe(untouched)}).`] };
    for (const [index, mutation] of mutations.entries()) {
      const trial = await tryMutation(mutation, { root: copy.root, signal });
      if (signal.aborted) break;
      tried += 1;
      if (trial.type === "noticed") noticed += 1;
      else failures.push(`${mutation.name}: ${describe(trial)}`);
      say(`${firstNumber + index}. ${mutation.name}: ${describe(trial)}`);
    }
    return { tried, noticed, failures };
  } finally {
    copy.remove();
  }
};

const describe = (trial: Trial): string => {
  switch (trial.type) {
    case "noticed":
      return `noticed by "${trial.by}"`;
    case "survived":
      return "SURVIVED, no test noticed it";
    case "broken":
      return `BROKEN, ${trial.why}`;
    default:
      return trial satisfies never;
  }
};
