/** Opens a host and keeps its promise that everything is closed: whatever fails on the way, each workspace and then the record is let go of. */
import type { SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { createEngineFloor, followSession } from "@retinue/engine";
import { keepPrivate } from "@retinue/confine";
import { createTrustStore } from "@retinue/confine/trust";
import path from "node:path";
import { openRecord } from "../open-record.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { retinueHome } from "../settings/retinue-home.ts";
import { closeAll } from "./close-all.ts";
import type { Host, HostOptions } from "./host.ts";
import { openWorkspace } from "./open-workspace.ts";
import { isRunId } from "./resume-run.ts";
import type { Shared } from "./shared.ts";
import { createSharedModels } from "./shared-models.ts";
import type { Workspace } from "./workspace.ts";

export const openHost = async (options: HostOptions = {}): Promise<Host> => {
  const env = options.env ?? process.env;
  const home = retinueHome(env);
  const store = options.store ?? (await openStore(options, env));
  const release = keepPrivate(home);
  const shared: Shared = {
    env,
    home,
    store,
    trust: createTrustStore({ file: path.join(home, "trust.json") }),
    floor: createEngineFloor(),
    models: createSharedModels(options.tap),
    model: options.model,
    approver: options.approver,
    source: options.source,
    onProblem: options.onProblem,
    isOnTape: options.tap !== undefined,
  };
  const open = new Set<Workspace>();
  /** Those that are being opened; one that is ready after the host was closed is closed at once. */
  const opening = new Set<Promise<Workspace>>();
  let closing: Promise<void> | undefined;

  const openOne: Host["openWorkspace"] = async (folder, how = {}) => {
    refuseClosed(closing);
    const ready = openWorkspace(shared, folder, { ...how, onClose: (workspace) => open.delete(workspace) });
    opening.add(ready);
    try {
      const workspace = await ready;
      open.add(workspace);
      if (closing) await workspace.close();
      refuseClosed(closing);
      return workspace;
    } finally {
      opening.delete(ready);
    }
  };

  /** Two sessions of one folder that are resumed at once share the workspace that is opened for them. */
  const forResumed = new Map<string, Promise<Workspace>>();
  const workspaceAt = async (folder: string): Promise<Workspace> => {
    const found = [...open].find((workspace) => workspace.folder === folder);
    if (found) return found;
    let ready = forResumed.get(folder);
    if (!ready) {
      ready = openOne(folder).finally(() => forResumed.delete(folder));
      forResumed.set(folder, ready);
    }
    return ready;
  };

  const folderOf = async (sessionId: SessionId): Promise<string | undefined> =>
    (await store.readSide.session(sessionId))?.workspace;

  return {
    openWorkspace: openOne,
    workspaces: () => [...open],
    sessions: store.readSide,
    resume: async (id, how) => {
      refuseClosed(closing);
      const sessionId = isRunId(id) ? await store.sessionOf(id) : id;
      const folder = sessionId === undefined ? undefined : await folderOf(sessionId);
      if (folder === undefined)
        throw isRunId(id)
          ? new RetinueError("run_unknown", `There is no run ${id}.`)
          : new RetinueError("session_unknown", `There is no session ${id}.`);
      return (await workspaceAt(folder)).resume(id, how);
    },
    approvals: async (sessionId) => store.approvals(sessionId === undefined ? {} : { sessionId }),
    follow: async function* (sessionId, how) {
      const folder = await folderOf(sessionId);
      const workspace = [...open].findLast((one) => one.folder === folder);
      yield* workspace
        ? workspace.live.follow(sessionId, how)
        : followSession({ log: store, floor: shared.floor }, sessionId, how);
    },
    close: () =>
      (closing ??= closeAll([
        async () => void (await Promise.allSettled(opening)),
        () =>
          closeAll(
            [...open].map((workspace) => workspace.close),
            "at once",
          ),
        async () => store.close(),
        async () => release(),
      ])),
  };
};

const openStore = async ({ settings, folder = process.cwd() }: HostOptions, env: NodeJS.ProcessEnv) =>
  openRecord({ settings: settings ?? (await loadSettings({ workspace: folder, env })).settings, env, workspace: folder });

const refuseClosed = (closing: Promise<void> | undefined): void => {
  if (closing) throw new RetinueError("closed", "The host was closed.");
};
