/** What a project's record holds: the events of each of its sessions, the oldest session first. */
import type { RecordedEvent } from "@retinue/protocol";
import { openRecord } from "../../open-record.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import type { Project } from "./spawn-retinue.ts";
import { toEnvironment } from "./spawn-retinue.ts";

export const readSessions = async ({
  workspace,
  home,
}: Pick<Project, "home" | "workspace">): Promise<readonly (readonly RecordedEvent[])[]> => {
  const env = toEnvironment(home);
  const { settings } = await loadSettings({ workspace, env });
  const store = await openRecord({ settings, env, workspace });
  try {
    const { items } = await store.readSide.listSessions();
    const sessions: (readonly RecordedEvent[])[] = [];
    for (const { sessionId } of items) sessions.push(await store.read(sessionId));
    return sessions.toReversed();
  } finally {
    await store.close();
  }
};
