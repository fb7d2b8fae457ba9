/** Opens what all calls of a server stand on: the folders it works in, and what goes on in them without a call. */
import type { BackendGround } from "./backend-ground.ts";
import { closeAll } from "../host/close-all.ts";
import { retinueHome } from "../settings/retinue-home.ts";
import { createQueuedTurns } from "./queued-turns.ts";
import { createRuleAnswers } from "./rule-answers.ts";
import { goOn } from "./run-calls.ts";
import { createServedWorkspaces } from "./served-workspaces.ts";
import { beginTurn } from "./session-calls.ts";
import { requireSession } from "./session-items.ts";
import { createTestRuns } from "./test-runs.ts";

export type GroundOptions = Pick<BackendGround, "host" | "store" | "env" | "source"> & { readonly folders: readonly string[] };

export type OpenGround = {
  readonly ground: BackendGround;
  /** Ends what goes on by itself; the host is its owner's. */
  readonly close: () => Promise<void>;
};

export const openGround = async ({ folders, ...given }: GroundOptions): Promise<OpenGround> => {
  const { host, store, env } = given;
  const workspaces = createServedWorkspaces({ host, env });
  for (const folder of folders) await workspaces.at(folder);
  const tests = createTestRuns({ host, env });
  const ruleAnswers = createRuleAnswers({
    store,
    workspaces,
    goOn: (served, answered) => goOn({ store, workspaces }, served, answered),
  });
  const queuedTurns = createQueuedTurns({
    home: retinueHome(env),
    store,
    start: async (sessionId, text) => {
      const served = await workspaces.at((await requireSession(store, sessionId)).workspace);
      await beginTurn({ workspaces, env }, served, { sessionId, text });
    },
  });
  return {
    ground: { ...given, workspaces, tests, queuedTurns, ruleAnswers },
    close: () => closeAll([async () => ruleAnswers.close(), async () => queuedTurns.close(), tests.close]),
  };
};
