/**
 * Inputs: what people and other runs say to a run, through the log. They are recorded without a lease; whoever drives the run hears of them by the log
 * and takes them into the run's state, one after the other, in the order of the log.
 */
import type { ApprovalId, InputBody, InputEvent, RunId, RunIdentity } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { apply, likenessOf } from "@retinue/runtime";
import type { Lease } from "@retinue/store";
import type { Cancel, Engine } from "../contract.ts";
import type { ActiveRun, Session } from "./active-run.ts";
import { ring } from "./bell.ts";
import { forgetExpiries } from "./expiries.ts";
import { findSpeaker, readSpeaker } from "./find-speaker.ts";
import type { Ground } from "./ground.ts";
import { publish } from "./ground.ts";
import { identityOf, readKnown } from "./read-state.ts";

/** Records an input. Where the run is driven here it is in the run's state when this resolves. */
export const appendInput = async (ground: Ground, identity: RunIdentity, body: InputBody, lease?: Lease): Promise<void> => {
  const { log, ports, clean, active } = ground;
  const source = body.source ?? ground.options.source ?? { via: "library" };
  await log.append([{ ...pickIdentity(identity), at: ports.clock.date(), ...clean(body), source }], lease);
  const run = active.get(identity.runId);
  if (run) await takeInputs(ground, run);
};

const pickIdentity = ({ sessionId, runId, parentRunId, depth, agent }: RunIdentity): RunIdentity => ({
  sessionId,
  runId,
  parentRunId,
  depth,
  agent,
});

/** Takes in what was recorded for the run since its state was made. */
export const takeInputs = (ground: Ground, run: ActiveRun): Promise<void> => {
  const before = run.taking;
  const take = async (): Promise<void> => {
    // Whoever took before hears of a failure itself.
    if (before) await Promise.allSettled([before]);
    for (const event of await ground.log.inputs(run.state.identity.runId, run.inputSeq)) takeInput(ground, run, event);
  };
  return (run.taking = take());
};

const takeInput = (ground: Ground, run: ActiveRun, event: InputEvent): void => {
  const { state, session } = run;
  run.inputSeq = event.seq;
  if (state.result) return;
  if (event.type === "approval.answered") hearAnswer(ground, run, event);
  apply(state, event);
  publish(ground, session, event);
  run.taken += 1;
  if (event.type === "cancel.requested") stop(ground, run, event);
  ring(run);
};

const hearAnswer = (
  ground: Ground,
  { state, session, prompts }: ActiveRun,
  event: InputEvent & { readonly type: "approval.answered" },
): void => {
  const { approvalId, allowed, scope } = event;
  forgetExpiries(ground, state.identity.runId, approvalId);
  prompts?.get(approvalId)?.abort(new RetinueError("cancelled", "The question was answered."));
  prompts?.delete(approvalId);
  if (!allowed || scope !== "session") return;
  for (const asked of state.pendingApprovals.values())
    if (asked.approvalId === approvalId) session.allowed.add(likenessOf(asked.act));
};

const stop = (ground: Ground, run: ActiveRun, event: InputEvent & { readonly type: "cancel.requested" }): void => {
  const { reason = "The run was cancelled.", finish, source } = event;
  if (finish !== true) return run.stop.abort(new RetinueError("cancelled", reason));
  for (const below of run.session.runs)
    if (below.parent === run && !below.state.result)
      // A run that settles meanwhile needs no word any more.
      appendInput(ground, below.state.identity, {
        type: "cancel.requested",
        finish: true,
        reason,
        ...(source === undefined ? {} : { source }),
      }).catch(() => undefined);
};

/** Listens for inputs to runs of a session, from whichever process, while any of them is at work here. */
export const watchInputs = (ground: Ground, session: Session, onWake: (run: ActiveRun) => void): void => {
  session.unwatch ??= ground.log.watchInputs(session.sessionId, () => {
    for (const run of session.runs) {
      // Where the log cannot be read now, the run looks again before it waits.
      takeInputs(ground, run).catch(() => undefined);
      onWake(run);
    }
    for (const follower of session.followers) follower.catchUp();
  });
};

/** The inputs of an engine's contract. */
export const createInputs = (ground: Ground): Pick<Engine, "send" | "withdraw" | "cancel" | "answer"> => ({
  send: async (runId, said, { source } = {}) =>
    appendInput(ground, await identityOf(ground, await speakerFor(ground, runId)), {
      type: "message.received",
      messageId: `msg_${ground.options.createId()}`,
      from: "human",
      content: typeof said === "string" ? [{ type: "text", text: said }] : said,
      ...(source === undefined ? {} : { source }),
    }),
  withdraw: async (runId, messageId, { source } = {}) => {
    const state = ground.active.get(runId)?.state ?? (await readKnown(ground, runId)).states.get(runId);
    const message = state?.inbox.find((one) => one.messageId === messageId);
    if (message?.from !== "human")
      throw new RetinueError("message_unknown", `No message ${messageId} of a human waits to be read by run ${runId}.`);
    await appendInput(ground, await identityOf(ground, runId), {
      type: "message.withdrawn",
      messageId,
      ...(source === undefined ? {} : { source }),
    });
  },
  cancel: async (runId, given = {}) => appendInput(ground, await identityOf(ground, runId), toCancel(given)),
  answer: async (approvalId, { allowed, scope = "once", reason, text }, { source } = {}) =>
    appendInput(ground, await identityOf(ground, runOf(ground, approvalId)), {
      type: "approval.answered",
      approvalId,
      allowed,
      scope,
      ...(reason === undefined ? {} : { reason }),
      ...(text === undefined ? {} : { text }),
      ...(source === undefined ? {} : { source }),
    }),
});

/** Of a run that is not at work here, the record tells who has its conversation. */
const speakerFor = async (ground: Ground, runId: RunId): Promise<RunId> => {
  const { active, log } = ground;
  if (active.has(runId)) return findSpeaker(runId, (id) => active.get(id)?.state);
  const sessionId = await log.sessionOf(runId);
  return sessionId === undefined ? runId : readSpeaker(log, sessionId, runId);
};

const toCancel = ({ reason, finish, source }: Cancel): InputBody => ({
  type: "cancel.requested",
  ...(reason === undefined ? {} : { reason }),
  ...(finish === true ? { finish } : {}),
  ...(source === undefined ? {} : { source }),
});

/** The run that asked: its id is the beginning of the question's. */
const runOf = ({ active }: Ground, approvalId: ApprovalId): RunId => {
  for (const { state } of active.values())
    for (const asked of state.pendingApprovals.values()) if (asked.approvalId === approvalId) return state.identity.runId;
  const [, id] = /^apr_([^_]+)_/.exec(approvalId) ?? [];
  if (id === undefined) throw new RetinueError("approval_unknown", `There is no question ${approvalId}.`);
  return `run_${id}`;
};
