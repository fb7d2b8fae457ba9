/** The short way: a host with one workspace. */
import { openHost } from "./host/open-host.ts";
import type { HostOptions } from "./host/host.ts";
import type { Workspace, WorkspaceOptions } from "./host/workspace.ts";
import { loadSettings } from "./settings/load-settings.ts";

export type RetinueOptions = Omit<HostOptions, "settings" | "folder"> &
  WorkspaceOptions & {
    /** The folder that agents work in; the current one by default. */
    readonly workspace?: string;
  };

/** Closing it closes the host, too. */
export type Retinue = Workspace;

export const createRetinue = async (options: RetinueOptions = {}): Promise<Retinue> => {
  const { workspace: folder = process.cwd(), store, tap, source, onProblem, env = process.env, ...more } = options;
  const settings = options.settings ?? (await loadSettings({ workspace: folder, env })).settings;
  const host = await openHost({
    env,
    settings,
    folder,
    ...(store === undefined ? {} : { store }),
    ...(tap === undefined ? {} : { tap }),
    ...(source === undefined ? {} : { source }),
    ...(onProblem === undefined ? {} : { onProblem }),
  });
  try {
    const workspace = await host.openWorkspace(folder, { ...more, settings });
    return {
      ...workspace,
      get agents() {
        return workspace.agents;
      },
      close: host.close,
    };
  } catch (thrown) {
    // A store that was handed in is still its owner's.
    if (store === undefined) await host.close();
    throw thrown;
  }
};
