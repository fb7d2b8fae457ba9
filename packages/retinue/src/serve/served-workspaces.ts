/**
 * The workspaces of a server, by ids that routes can name. A folder is opened when somebody first works in it; when its files were changed it is opened
 * anew, and the one before is let go of once the runs that it drives have settled.
 */
import type { RunHandle } from "@retinue/engine";
import type { ApproveMode, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import type { Host } from "../host/host.ts";
import type { ResumedApprove, Workspace } from "../host/workspace.ts";
import { loadSettings, type LoadedSettings } from "../settings/load-settings.ts";

export type WorkspaceId = `wsp_${string}`;

export type Served = {
  readonly workspaceId: WorkspaceId;
  readonly workspace: Workspace;
  readonly loaded: LoadedSettings;
};

export type ServedWorkspaces = {
  readonly list: () => readonly Served[];
  /** Throws `workspace_unknown`. */
  readonly of: (workspaceId: string) => Served;
  /** Opens the folder where it is not open. */
  readonly at: (folder: string) => Promise<Served>;
  /** Has what the folder's files say now. */
  readonly reload: (served: Served) => Promise<Served>;
  /** Whether a run of the session that was begun here has not settled. */
  readonly isHeld: (sessionId: SessionId) => boolean;
  /** What a run of the session that continues here may do unasked. */
  readonly modeOf: (sessionId: SessionId) => ApproveMode | undefined;
  /** Keeps the run's workspace open until the run has settled. */
  readonly hold: <Handle extends RunHandle>(served: Served, run: Handle) => Handle;
};

export const toWorkspaceId = (folder: string): WorkspaceId =>
  `wsp_${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`;

export type ServedOptions = {
  readonly host: Pick<Host, "openWorkspace">;
  readonly env: NodeJS.ProcessEnv;
  /** A run that was held has settled, or was left where its record stands. */
  readonly onLeft?: (sessionId: SessionId, thrown?: unknown) => void;
};

export const createServedWorkspaces = ({ host, env, onLeft }: ServedOptions): ServedWorkspaces => {
  const open = new Map<WorkspaceId, Promise<Served>>();
  const ready = new Map<WorkspaceId, Served>();
  const driven = new Map<Workspace, Set<RunHandle & Partial<ResumedApprove>>>();
  const left = new Set<Workspace>();

  const closeIdle = (workspace: Workspace): void => {
    if (!left.has(workspace) || (driven.get(workspace)?.size ?? 0) > 0) return;
    left.delete(workspace);
    driven.delete(workspace);
    // What could not be closed now is closed with the host.
    workspace.close().catch(() => undefined);
  };

  const begin = async (folder: string): Promise<Served> => {
    const loaded = await loadSettings({ workspace: folder, env });
    // Somebody may be looking, or may come: what must be asked is never denied for want of a terminal.
    const settings = { ...loaded.settings, approvals: { ...loaded.settings.approvals, unattended: "park" as const } };
    const workspace = await host.openWorkspace(folder, { settings, env });
    return { workspaceId: toWorkspaceId(workspace.folder), workspace, loaded };
  };

  const openAt = (folder: string): Promise<Served> => {
    const workspaceId = toWorkspaceId(folder);
    const known = open.get(workspaceId);
    if (known) return known;
    const opening = begin(folder);
    open.set(workspaceId, opening);
    opening.then(
      (served) => ready.set(workspaceId, served),
      () => open.delete(workspaceId),
    );
    return opening;
  };

  return {
    list: () => [...ready.values()],
    of: (workspaceId) => {
      const served = ready.get(workspaceId as WorkspaceId);
      if (!served) throw new RetinueError("workspace_unknown", `No folder of this server has the id ${workspaceId}.`);
      return served;
    },
    at: async (folder) => {
      const real = await realpath(folder).catch((cause: unknown) => {
        throw new RetinueError("usage", `The folder ${folder} cannot be opened.`, { hint: "Name a folder that exists.", cause });
      });
      return openAt(real);
    },
    reload: async ({ workspaceId, workspace }) => {
      const next = await begin(workspace.folder);
      open.set(workspaceId, Promise.resolve(next));
      ready.set(workspaceId, next);
      left.add(workspace);
      closeIdle(workspace);
      return next;
    },
    isHeld: (sessionId) => [...driven.values()].some((runs) => [...runs].some((run) => run.sessionId === sessionId)),
    modeOf: (sessionId) =>
      [...driven.values()].flatMap((runs) => [...runs]).findLast((run) => run.sessionId === sessionId)?.approve,
    hold: ({ workspace }, run) => {
      const runs = driven.get(workspace) ?? new Set();
      driven.set(workspace, runs.add(run));
      const letGo = (thrown?: unknown): void => {
        runs.delete(run);
        closeIdle(workspace);
        onLeft?.(run.sessionId, thrown);
      };
      run.result.then(() => letGo(), letGo);
      return run;
    },
  };
};
