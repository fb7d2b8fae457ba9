/** The agents from the main agent down to a run, by their names in this session. */
import type { RunView } from "@retinue/client";
import type { LiveSession } from "./live-session.ts";

export const runsTo = (session: LiveSession, run: RunView): readonly RunView[] => {
  const path: RunView[] = [];
  for (
    let at: RunView | undefined = run;
    at !== undefined && path.length < 64;
    at = at.parentRunId === null ? undefined : session.view.runs.get(at.parentRunId)
  )
    path.unshift(at);
  return path;
};

export const pathOf = (session: LiveSession, run: RunView): readonly string[] =>
  runsTo(session, run).map((one) => session.names.nameOf(one));
