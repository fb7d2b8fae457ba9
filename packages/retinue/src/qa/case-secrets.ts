/**
 * The secrets that test cases name, whatever they look like: values of the workspace's .env, or of variables that say that they are for test cases, as servers of CI set them. No other variable
 * is one: a case cannot have a key of the user typed. A case whose secret is not there is blocked, since nothing of it could be tested.
 */
import type { LoadedCase } from "@retinue/qa";
import { namedSecrets } from "../secrets/workspace-secrets.ts";

export type CaseSecrets = {
  /** Null where all secrets of the case are there, or which is missing. */
  readonly need: (loaded: LoadedCase) => Promise<string | null>;
  /** Of those that were needed so far. */
  readonly valuesOf: (names: readonly string[]) => ReadonlyMap<string, string>;
};

const PREFIX = "RETINUE_TEST_SECRET_";

export const createCaseSecrets = (folder: string, env: NodeJS.ProcessEnv): CaseSecrets => {
  const known = new Map<string, string>();
  return {
    need: async ({ testCase, suite }) => {
      const names = [...(suite.secrets ?? []), ...(testCase.secrets ?? [])];
      for (const name of names) {
        const value = env[`${PREFIX}${name}`];
        if (value !== undefined && value !== "") known.set(name, value);
      }
      for (const [name, value] of await namedSecrets(folder, names)) known.set(name, value);
      const missing = names.filter((name) => !known.has(name));
      return missing.length === 0
        ? null
        : `The case needs ${missing.join(", ")}, which no .env file of the workspace holds. Write a line ${missing[0] ?? ""}=… into .env, or set the variable ${PREFIX}${missing[0] ?? ""}.`;
    },
    valuesOf: (names) =>
      new Map(
        names.flatMap((name) => {
          const value = known.get(name);
          return value === undefined ? [] : [[name, value] as const];
        }),
      ),
  };
};
