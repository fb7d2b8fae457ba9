/** What a server serves, from a host: every call, the artifacts, and the events of all sessions. */
import { RetinueError } from "@retinue/protocol";
import type { Backend } from "@retinue/server";
import { withPatience } from "@retinue/store";
import { readVersion } from "../cli/version.ts";
import { createAgentCalls } from "./agent-calls.ts";
import type { BackendGround } from "./backend-ground.ts";
import { createRuleCalls } from "./rule-calls.ts";
import { createRunCalls } from "./run-calls.ts";
import { createSessionCalls } from "./session-calls.ts";
import { createSessionFolds } from "./session-folds.ts";
import { createTestCalls } from "./test-calls.ts";
import { createViewCalls } from "./view-calls.ts";
import { createWorkspaceCalls } from "./workspace-calls.ts";

/** Every session, also one that begins later. */
const ALL = { has: () => true, keys: () => [] };

/** How long a client waits for a store that is away. */
const SOON_MS = 2_000;

export const createBackend = (ground: BackendGround): Backend => {
  const { host, store } = ground;
  const folds = createSessionFolds({ store });
  return {
    version: readVersion(),
    calls: {
      ...createSessionCalls(ground, folds),
      ...createViewCalls(ground, folds),
      ...createRunCalls(ground),
      ...createWorkspaceCalls(ground),
      ...createAgentCalls(ground),
      ...createTestCalls(ground),
      ...createRuleCalls(ground),
    },
    soon: (act) => {
      if (store.isAway?.() === true) throw new RetinueError("store_failed", "The store cannot be reached now.");
      return withPatience(SOON_MS, act);
    },
    artifact: async (sessionId, artifactId) => store.readArtifactBytes(sessionId, artifactId),
    feeds: {
      read: async (sessionId, { after, limit }) => {
        const session = await store.readSide.session(sessionId);
        if (!session) return undefined;
        const { headSeq } = session;
        return { events: after >= headSeq ? [] : await store.read(sessionId, after, limit), headSeq };
      },
      follow: (sessionId, options) => host.follow(sessionId, options),
      watchAll: (wake) => store.watchAny(ALL, wake),
    },
  };
};
