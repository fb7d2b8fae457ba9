/** The settings that hold where a session works, which may be another folder than the command was called in. */
import { RetinueError } from "@retinue/protocol";
import type { SessionRow } from "@retinue/store";
import { statSync } from "node:fs";
import type { Settings } from "../../settings/settings.ts";
import type { SessionOptions } from "../session-options.ts";
import { loadSessionSettings } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import type { CommandRecord } from "./open-for-command.ts";

export const settingsOf = async (
  { sessionId, workspace, importedAt }: SessionRow,
  record: CommandRecord,
  options: SessionOptions,
  surroundings: Surroundings,
): Promise<Settings> => {
  if (workspace === record.workspace) return record.loaded.settings;
  if (importedAt !== null)
    throw new RetinueError("session_imported", `${sessionId} was imported and says that it works in ${workspace}.`, {
      hint: `If that is the folder you mean, name it: -C ${workspace}`,
    });
  if (!statSync(workspace, { throwIfNoEntry: false })?.isDirectory())
    throw new RetinueError("usage", `The folder ${workspace} of ${sessionId} is gone.`, {
      hint: "Put it back where it was; the session can still be shown, exported and replayed.",
    });
  return (await loadSessionSettings({ ...options, workspace }, surroundings)).settings;
};
