/** What the command has around it: where it may write, what it may read, and the secrets that it must not tell. */
import type { Readable } from "node:stream";
import { createRedactor } from "../secrets/create-redactor.ts";
import { environmentSecrets } from "../secrets/environment-secrets.ts";
import type { Secret } from "../secrets/secret.ts";
import type { Redact } from "./format-error.ts";
import type { Output, OutputStream } from "./output.ts";
import { createOutput, createSideOutput } from "./output.ts";

export type Surroundings = {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  /** Secrets that settings lead to; they are known from then on. */
  readonly learn: (secrets: readonly Secret[]) => void;
  readonly secrets: () => readonly Secret[];
  readonly redact: Redact;
  /** How long a command may work without a sign of it; as `withSpinner` thinks fit where this is not said. */
  readonly patienceMs?: number;
};

/** Of this process, unless said otherwise. */
export type SurroundingsOptions = {
  readonly stdin?: Surroundings["stdin"];
  readonly stdout?: OutputStream;
  readonly stderr?: OutputStream;
  readonly env?: NodeJS.ProcessEnv;
  readonly patienceMs?: number;
};

export const createSurroundings = ({
  stdin = process.stdin,
  stdout = process.stdout,
  stderr = process.stderr,
  env = process.env,
  patienceMs,
}: SurroundingsOptions = {}): Surroundings => {
  let secrets = environmentSecrets(env);
  let redact = createRedactor(secrets).text;
  return {
    stdin,
    stdout: createOutput(stdout),
    stderr: createSideOutput(stderr),
    env,
    learn: (more) => {
      secrets = [...secrets, ...more];
      redact = createRedactor(secrets).text;
    },
    secrets: () => secrets,
    redact: (text) => redact(text),
    ...(patienceMs !== undefined && { patienceMs }),
  };
};
