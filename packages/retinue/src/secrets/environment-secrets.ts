/** The secrets of the environment: the values of all variables whose names or values say so. */
import { secretsOfValue } from "./secret-value.ts";
import type { Secret } from "./secret.ts";

export const environmentSecrets = (env: NodeJS.ProcessEnv): readonly Secret[] =>
  Object.entries(env).flatMap(([name, value = ""]) => secretsOfValue(name, value));
