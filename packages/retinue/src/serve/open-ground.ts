/** Opens what all calls of a server stand on: the folders it works in, and what goes on in them without a call. */
import type { BackendGround } from "./backend-ground.ts";
import { closeAll } from "../host/close-all.ts";
import { listLater, moveLater } from "../host/later-messages.ts";
import { retinueHome } from "../settings/retinue-home.ts";
import { createRuleAnswers } from "./rule-answers.ts";
import { createServedWorkspaces } from "./served-workspaces.ts";
import { beginTurn } from "./session-calls.ts";
import type { KeeperPace } from "./session-keeper.ts";
import { createSessionKeeper } from "./session-keeper.ts";
import { createTestRuns } from "./test-runs.ts";

export type GroundOptions = Pick<BackendGround, "host" | "store" | "env" | "source"> & {
  readonly folders: readonly string[];
  readonly onProblem?: ((problem: unknown) => void) | undefined;
  /** How soon the server looks after its sessions. */
  readonly pace?: Partial<KeeperPace> | undefined;
};

export type OpenGround = {
  readonly ground: BackendGround;
  /** Ends what goes on by itself; the host is its owner's. */
  readonly close: () => Promise<void>;
};

export const openGround = async ({ folders, onProblem, pace, ...given }: GroundOptions): Promise<OpenGround> => {
  const { host, store, env, source } = given;
  const workspaces = createServedWorkspaces({
    host,
    env,
    // No run is held before the keeper is there.
    onLeft: (sessionId, thrown) => keeper.left(sessionId, thrown),
  });
  for (const folder of folders) await workspaces.at(folder);
  const tests = createTestRuns({ host, env });
  // The first folder is the one whose settings say where sessions are recorded, too.
  const [first] = workspaces.list();
  const keeper = createSessionKeeper({
    store,
    workspaces,
    takeUp: first?.loaded.settings.serve.takeUp ?? "none",
    begin: (served, { sessionId, turnId, task }) =>
      beginTurn({ workspaces, env, source }, served, { sessionId, said: task, queuedTurn: turnId }),
    onProblem,
    pace,
  });
  void moveKept({ store, workspaces, home: retinueHome(env) }).catch(onProblem);
  const ruleAnswers = createRuleAnswers({ store, workspaces, goOn: (sessionId) => keeper.wake(sessionId) });
  return {
    ground: { ...given, workspaces, tests, keeper, ruleAnswers },
    close: () => closeAll([async () => ruleAnswers.close(), async () => keeper.close(), tests.close]),
  };
};

type Kept = Pick<BackendGround, "store" | "workspaces"> & { readonly home: string };

/** Turns that an earlier version kept in files. */
const moveKept = async ({ store, workspaces, home }: Kept): Promise<void> => {
  for (const sessionId of await listLater(home)) {
    const session = await store.readSide.session(sessionId);
    const served = workspaces.list().find(({ workspace }) => workspace.folder === session?.workspace);
    if (served) await moveLater(home, sessionId, (text) => served.workspace.live.queueTurn(sessionId, text));
  }
};
