/** Shows a run as long as this process drives it. Of a run that parks, it tells what the run waits for and how to go on, and lets go of it. */
import type { RunHandle } from "@retinue/engine";
import type { SessionId } from "@retinue/protocol";
import type { OpenApproval } from "@retinue/store";
import { count } from "./amounts.ts";
import { EXIT } from "./exit-code.ts";
import { formatApproval, howToAnswer } from "./reach/approvals-list-command.ts";
import { shortId } from "./record/find-session.ts";
import type { View } from "./show-run.ts";
import type { Surroundings } from "./surroundings.ts";

export type ParkingOptions = {
  readonly view: View;
  /** Shows the run and gives the exit code of its end. */
  readonly show: (run: RunHandle) => Promise<number>;
  readonly approvals: (sessionId: SessionId) => Promise<readonly OpenApproval[]>;
  /** Stops driving: the events of what waits end. */
  readonly letGo: () => Promise<void>;
};

/** Gives the exit code. Throws `run_left_open` where the process stops driving before the run has settled or parked. */
export const showUntilParked = async (
  run: RunHandle,
  { view, show, approvals, letGo }: ParkingOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const showing = show(run);
  // Where it fails because the run was left, the outcome says so.
  const shown = showing.catch(() => undefined);
  const outcome = await run.outcome.catch(() => undefined);
  if (outcome?.type !== "parked") return showing;
  const open = await approvals(run.sessionId);
  await letGo();
  await shown;
  await tellWaiting(run.sessionId, { view, open }, surroundings);
  return EXIT.waiting;
};

type Waiting = { readonly view: View; readonly open: readonly OpenApproval[] };

export const tellWaiting = async (
  sessionId: SessionId,
  { view, open }: Waiting,
  { stderr, redact }: Surroundings,
): Promise<void> => {
  if (view.type === "json") return;
  const now = Date.now();
  const questions = view.type === "text" ? open.map((one) => formatApproval(one, { redact, now })).join("") : "";
  await stderr.write(
    `${questions}retinue: ${shortId(sessionId)} waits for ${count(open.length, "answer")} and is kept in the record; ` +
      `answer with retinue approvals answer ID ${howToAnswer(open)}; --resume goes on at once.\n`,
  );
};
