/** The last line of `retinue fanout --json`: the results in the order of the tasks, null for one that waits, with the fields of an event, empty. */
import type { RunResult } from "@retinue/protocol";
import { toJsonLine } from "../../terminal/json-line.ts";
import type { Redact } from "../format-error.ts";

const NOBODY = { sessionId: null, runId: null, parentRunId: null, depth: 0, agent: null, seq: 0 };

export const toResultsLine = (results: readonly (RunResult | null)[], redact: Redact): string =>
  `${toJsonLine({ type: "results", ...NOBODY, at: new Date().toISOString(), results }, redact)}\n`;
