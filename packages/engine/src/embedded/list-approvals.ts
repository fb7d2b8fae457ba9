/** The open questions of the runs that this engine drives or has parked. */
import type { SessionId } from "@retinue/protocol";
import type { ApprovalRequest, RunState } from "@retinue/runtime";
import type { Ground } from "./ground.ts";
import type { Parking } from "./parking.ts";
import { readKnown } from "./read-state.ts";

export const listApprovals = async (
  ground: Ground,
  parking: Parking,
  sessionId: SessionId | undefined,
): Promise<readonly ApprovalRequest[]> => {
  const isWanted = (id: SessionId): boolean => sessionId === undefined || id === sessionId;
  const states: RunState[] = [];
  for (const { state } of ground.active.values()) if (isWanted(state.identity.sessionId)) states.push(state);
  for (const root of parking.roots()) {
    if (!isWanted(root.sessionId)) continue;
    const known = await readKnown(ground, root.runId);
    for (const state of known.states.values()) if (root.runs.has(state.identity.runId)) states.push(state);
  }
  return states.flatMap(({ identity, pendingApprovals }) =>
    [...pendingApprovals.values()].map(({ approvalId, act, hash }) => ({ approvalId, run: identity, act, hash })),
  );
};
