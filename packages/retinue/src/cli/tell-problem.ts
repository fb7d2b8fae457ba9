/** Tells a person of what went wrong and changes no run. */
import { toPrintable } from "../terminal/printable.ts";
import type { Surroundings } from "./surroundings.ts";

export const tellProblem =
  ({ stderr, redact }: Pick<Surroundings, "stderr" | "redact">) =>
  (problem: string): void =>
    void stderr.write(`retinue: ${toPrintable(redact(problem), "line")}\n`);
