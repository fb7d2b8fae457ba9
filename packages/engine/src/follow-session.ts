/** Follows a session from an event on: what the log has, then what is appended, by whichever process; live events of what is driven here besides. */
import type { RetinueEvent, SessionId } from "@retinue/protocol";
import type { EventLog } from "@retinue/store";
import type { FollowOptions } from "./contract.ts";
import type { EngineFloor, LiveSession } from "./embedded/floor.ts";
import { createFollower } from "./follower.ts";

export type FollowGround = { readonly log: EventLog; readonly floor?: Pick<EngineFloor, "liveSessions"> };

export const followSession = async function* (
  { log, floor }: FollowGround,
  sessionId: SessionId,
  { afterSeq = 0, signal }: FollowOptions = {},
): AsyncGenerator<RetinueEvent, void> {
  const follower = createFollower(afterSeq, (seq) => log.read(sessionId, seq));
  const end = (): void => follower.end();
  const joined = new Set<LiveSession>();
  const look = (): void => {
    for (const session of floor?.liveSessions(sessionId) ?? [])
      if (!joined.has(session)) {
        joined.add(session);
        session.followers.add(follower);
      }
    follower.readAgain();
  };
  const unwatch = log.watch(sessionId, look);
  if (signal?.aborted) end();
  else signal?.addEventListener("abort", end, { once: true });
  look();
  try {
    yield* follower.events();
  } finally {
    unwatch();
    signal?.removeEventListener("abort", end);
    for (const session of joined) session.followers.delete(follower);
  }
};
