/** `retinue approvals answer`: a person's yes or no to an act, or their words to a question, whichever process drives the run or none. */
import type { ApprovalScope, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { Holder } from "@retinue/store";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { EXIT } from "../exit-code.ts";
import { withRecord } from "../record/open-for-command.ts";
import type { SessionOptions } from "../session-options.ts";
import type { ViewOptions } from "../show-run.ts";
import type { Surroundings } from "../surroundings.ts";
import { findApproval } from "./find-approval.ts";
import { recordInput } from "./record-input.ts";
import { refuseAgents } from "./refuse-agents.ts";
import { readHolder, sayWhoDrives } from "./say-who-drives.ts";

export type ApprovalsAnswerOptions = Pick<SessionOptions, "workspace"> &
  ViewOptions & {
    readonly allow?: boolean;
    readonly deny?: boolean;
    readonly scope?: string;
    readonly reason?: string;
    /** What is said to a question of an agent. */
    readonly text?: string;
    /** Goes on with the session at once where no living process drives it. */
    readonly resume?: boolean;
  };

const SCOPES: readonly ApprovalScope[] = ["once", "run", "session"];

export const approvalsAnswerCommand = async (
  name: string,
  options: ApprovalsAnswerOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const answer = toAnswer(options);
  const { workspace, resume, json, quiet } = options;
  const where = workspace === undefined ? {} : { workspace };
  const { sessionId, holder } = await record(name, answer, { ...where, isJson: json === true }, surroundings);
  if (resume !== true || holder) return EXIT.done;
  const view = { ...(json !== undefined && { json }), ...(quiet !== undefined && { quiet }) };
  const { resumeSession } = await import("../record/resume-session.ts");
  return resumeSession({ name: sessionId, task: undefined }, { ...where, ...view }, surroundings);
};

type Answer = {
  readonly allowed: boolean;
  readonly scope: ApprovalScope;
  readonly reason?: string;
  readonly text?: string;
};

const toAnswer = ({ allow, deny, scope = "once", reason, text }: ApprovalsAnswerOptions): Answer => {
  if (text !== undefined) {
    if (allow === true || deny === true)
      throw new RetinueError("usage", "--text goes without --allow and --deny: it is what you say to a question.");
    return { allowed: true, scope: "once", text };
  }
  if ((allow === true) === (deny === true))
    throw new RetinueError("usage", "An answer is either --allow or --deny, or --text to a question of an agent.", {
      hint: "retinue approvals answer ID --allow, --deny --reason TEXT, or --text ANSWER.",
    });
  const found = SCOPES.find((one) => one === scope);
  if (found === undefined) throw new RetinueError("usage", `--scope is once, run or session, not ${JSON.stringify(scope)}.`);
  if (deny === true && found !== "once")
    throw new RetinueError("usage", `--scope ${found} goes with --allow; a no is always to one act.`);
  if (allow === true) return { allowed: true, scope: found, ...(reason !== undefined && { reason }) };
  return { allowed: false, scope: "once", reason: reason === undefined ? "The user said no." : `The user said no: ${reason}` };
};

type Recorded = { readonly sessionId: SessionId; readonly holder: Holder | undefined };

const record = (
  name: string,
  { reason, text, ...answer }: Answer,
  { isJson, ...where }: Pick<SessionOptions, "workspace"> & { readonly isJson: boolean },
  surroundings: Surroundings,
): Promise<Recorded> =>
  withRecord(where, surroundings, async (open) => {
    const { stdout, env, redact } = surroundings;
    await refuseAgents(open.sessions, { env });
    const { approvalId, identity, act } = await findApproval(name, open);
    if (act && answer.allowed && (act.question === undefined) !== (text === undefined))
      throw new RetinueError(
        "usage",
        text === undefined
          ? "An agent asks you something: a yes is no answer to it."
          : "This is an act for a yes or no, not a question.",
        {
          hint:
            text === undefined ? "Answer with --text WORDS; --deny leaves it to the agent." : "Answer with --allow or --deny.",
        },
      );
    await recordInput(open.store, identity, {
      type: "approval.answered",
      approvalId,
      ...answer,
      ...(reason !== undefined && { reason: redact(reason) }),
      ...(text !== undefined && { text: redact(text) }),
    });
    const { sessionId } = identity;
    const holder = await readHolder(open.sessions, sessionId);
    if (isJson) {
      await stdout.write(
        `${toJsonLine({ sessionId, approvalId, ...answer, ...(text !== undefined && { text }), driver: holder ?? null }, redact)}\n`,
      );
      return { sessionId, holder };
    }
    const how = text !== undefined ? "answered" : answer.allowed ? `allowed (${answer.scope})` : "denied";
    await stdout.write(`${how} ${toPrintable(redact(approvalId), "line")}; ${sayWhoDrives(sessionId, holder)}\n`);
    return { sessionId, holder };
  });
