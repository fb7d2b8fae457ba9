/**
 * Runs the loop again on the record of a session, without any model or tool, and says whether it would do the same. Every run is replayed by
 * itself, and each stretch between two starts of a run from the state that the record had there.
 */
import type { RecordedEvent, RunId } from "@retinue/protocol";
import type { Ports, RunState } from "@retinue/runtime";
import { apply, createState, runLoop, settledMessages } from "@retinue/runtime";
import { partUnnoticed } from "./recorded-inputs.ts";
import { createRecordedPorts } from "./recorded-ports.ts";
import { createRecordedPurse } from "./recorded-purse.ts";
import type { Stretch } from "./replay.ts";
import { createReplay, Divergence, EndOfRecord } from "./replay.ts";

export type ReplayVerdict = {
  /** How many recorded events the loop would write again just as they are, with what others wrote between them. */
  readonly verified: number;
  /** The first place where the loop would do something else. */
  readonly divergence: { readonly seq: number; readonly runId: RunId; readonly agent: string; readonly message: string } | null;
};

export const verifyReplay = async (
  events: readonly RecordedEvent[],
  toolsOf: (state: RunState) => Ports["tools"],
): Promise<ReplayVerdict> => {
  const states = new Map<RunId, RunState>();
  let verified = 0;
  for (const run of Map.groupBy(events, ({ runId }) => runId).values()) {
    const [requested, ...rest] = run;
    if (requested?.type !== "run.requested") continue;
    verified += 1;
    const continued = requested.continues === undefined ? undefined : states.get(requested.continues);
    const earlier = continued ? [...settledMessages(continued)] : [];
    // The loop changes the state that it is given, and the next stretch begins from the record's.
    const stateAfter = (before: readonly RecordedEvent[]): RunState => {
      const state = createState(requested, earlier);
      for (const event of before) apply(state, event);
      return state;
    };
    // What a host recorded was not made by the loop.
    const stretches = requested.spec.recordedOnly ? [] : toStretches(rest);
    for (const { before, events: stretch } of stretches) {
      const { applied, unnoticed } = partUnnoticed(before);
      const outcome = await replayStretch({ events: stretch, unnoticed }, stateAfter(applied), toolsOf(stateAfter(applied)));
      if (outcome.divergence)
        return {
          verified: verified + outcome.verified,
          divergence: { ...outcome.divergence, runId: requested.runId, agent: requested.agent },
        };
    }
    verified += rest.length;
    states.set(requested.runId, stateAfter(rest));
  }
  return { verified, divergence: null };
};

/** What the engine, and not the loop, writes of a run. */
const isOfEngine = ({ type }: RecordedEvent): boolean => type === "worktree.made" || type === "worktree.refused";

/** From each start of the run to the next, and all that stands before that. */
const toStretches = (
  events: readonly RecordedEvent[],
): readonly { readonly before: readonly RecordedEvent[]; readonly events: readonly RecordedEvent[] }[] => {
  const starts = events.flatMap(({ type }, index) => (type === "run.started" ? [index] : []));
  return starts.map((start, at) => ({
    before: events.slice(0, start),
    events: events.slice(start, starts[at + 1]).filter((event) => !isOfEngine(event)),
  }));
};

type StretchOutcome = {
  readonly verified: number;
  readonly divergence: { readonly seq: number; readonly message: string } | null;
};

const replayStretch = async (stretch: Stretch, state: RunState, tools: Ports["tools"]): Promise<StretchOutcome> => {
  const replay = createReplay(stretch, state);
  const ports = createRecordedPorts(replay, tools);
  const [started] = stretch.events;
  const resumed = started?.type === "run.started" && started.resumed;
  const loop = runLoop({ state, ports, purse: createRecordedPurse(replay), signal: replay.cancel.signal, epoch: 0, resumed });
  try {
    while (!(await loop.next()).done);
  } catch (thrown) {
    if (thrown instanceof Divergence)
      return { verified: replay.written, divergence: { seq: thrown.seq, message: thrown.message } };
    if (!(thrown instanceof EndOfRecord)) throw thrown;
  }
  const left = replay.stretch[replay.written];
  return {
    verified: replay.written,
    divergence: left ? { seq: left.seq, message: `${left.type} was recorded, and the run would end before it now.` } : null,
  };
};
