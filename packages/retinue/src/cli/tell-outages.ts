/** Tells a person that a model cannot be reached and that runs wait for it; each reason once, however many runs meet it. */
import type { Outage } from "@retinue/runtime";
import { seconds } from "./amounts.ts";
import { formatErrorValue } from "./format-error.ts";
import type { Surroundings } from "./surroundings.ts";

export const tellOutages = ({
  stderr,
  redact,
}: Pick<Surroundings, "stderr" | "redact">): ((outage: Outage, waitMs: number) => void) => {
  const told = new Set<string>();
  return ({ model, error }, waitMs) => {
    if (told.has(error.message)) return;
    told.add(error.message);
    const message = `Cannot reach ${model}: ${error.message} Trying again for ${seconds(waitMs)}.`;
    void stderr.write(formatErrorValue({ ...error, message }, redact));
  };
};
