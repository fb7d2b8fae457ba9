/** There is one session in each record, and its main run has this id. */
import type { RunId, SessionId } from "@retinue/protocol";

export const SESSION: SessionId = "ses_victim";
export const ROOT_RUN: RunId = "run_victim";
