/**
 * Runs the loop again on the record of a session, without any model or tool, and says whether it would do the same. Every run is replayed by
 * itself, and each stretch between two starts of a run from the state that the record had there.
 */
import type { RecordedEvent, RunId } from "@retinue/protocol";
import type { Ports, RunState } from "@retinue/runtime";
import { apply, createState, runLoop, settledMessages } from "@retinue/runtime";
import { createRecordedPorts, Divergence, EndOfRecord } from "./recorded-ports.ts";

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
    const stateBefore = (first?: RecordedEvent): RunState => {
      const before = createState(requested, earlier);
      for (const event of rest) {
        if (event === first) break;
        apply(before, event);
      }
      return before;
    };
    for (const stretch of toStretches(rest)) {
      const state = stateBefore(stretch[0]);
      const outcome = await replayStretch(stretch, state, toolsOf(stateBefore(stretch[0])));
      if (outcome.divergence)
        return {
          verified: verified + outcome.verified,
          divergence: { ...outcome.divergence, runId: requested.runId, agent: requested.agent },
        };
    }
    verified += rest.length;
    states.set(requested.runId, stateBefore());
  }
  return { verified, divergence: null };
};

/** What the engine, and not the loop, writes of a run. */
const isOfEngine = ({ type }: RecordedEvent): boolean => type === "worktree.made" || type === "worktree.refused";

/** From each start of the run to the next. */
const toStretches = (events: readonly RecordedEvent[]): readonly (readonly RecordedEvent[])[] => {
  const stretches: RecordedEvent[][] = [];
  for (const event of events) {
    if (event.type === "run.started") stretches.push([]);
    if (!isOfEngine(event)) stretches.at(-1)?.push(event);
  }
  return stretches;
};

type StretchOutcome = {
  readonly verified: number;
  readonly divergence: { readonly seq: number; readonly message: string } | null;
};

const replayStretch = async (
  stretch: readonly RecordedEvent[],
  state: RunState,
  tools: Ports["tools"],
): Promise<StretchOutcome> => {
  const { ports, signal, verified, next } = createRecordedPorts(stretch, state, tools);
  const [started] = stretch;
  const resumed = started?.type === "run.started" && started.resumed;
  const loop = runLoop({ state, ports, signal, epoch: 0, resumed });
  try {
    while (!(await loop.next()).done);
  } catch (thrown) {
    if (thrown instanceof Divergence) return { verified: verified(), divergence: { seq: thrown.seq, message: thrown.message } };
    if (!(thrown instanceof EndOfRecord)) throw thrown;
  }
  const left = next();
  return {
    verified: verified(),
    divergence: left ? { seq: left.seq, message: `${left.type} was recorded, and the run would end before it now.` } : null,
  };
};
