/** The secrets of the environment: the values of all variables whose names or values say so. */
import { secretsOfValue } from "./secret-value.ts";

export const environmentSecrets = (env: NodeJS.ProcessEnv): readonly string[] => [
  ...new Set(Object.entries(env).flatMap(([name, value = ""]) => secretsOfValue(name, value))),
];
