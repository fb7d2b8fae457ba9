/** Opens the record alone, for those who only look at it: no model is looked for, no agent or tool is loaded. */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { EventLog, ReadSide } from "@retinue/store";
import { retinueHome } from "./settings/retinue-home.ts";
import type { Settings } from "./settings/settings.ts";

/** A log that can also be looked at. */
export type RetinueStore = EventLog & { readonly readSide: ReadSide };

export type RecordOptions = {
  readonly settings: Pick<Settings, "store">;
  readonly env?: NodeJS.ProcessEnv;
  /** What a relative path of the settings is relative to; the current folder by default. */
  readonly workspace?: string;
  /** On a full disk, the room that is kept beside the store is used to open it: for commands that look, or delete. */
  readonly mayUseSpare?: boolean;
};

/** A server that is away is told soon when a command begins; while it works, it is waited for. */
const OPEN_PATIENCE_MS = 5_000;

export const openRecord = async (options: RecordOptions): Promise<RetinueStore> => {
  const { settings, env = process.env, workspace = ".", mayUseSpare = false } = options;
  if (settings.store.url !== undefined) {
    const { createPostgresLog } = await import("@retinue/store/postgres");
    return createPostgresLog({ url: settings.store.url, openPatienceMs: OPEN_PATIENCE_MS });
  }
  const { createSqliteLog } = await import("@retinue/store/sqlite");
  const { path: chosen, synchronous } = settings.store;
  const file = chosen === undefined ? path.join(retinueHome(env), "retinue.db") : path.resolve(workspace, chosen);
  if (chosen === undefined) await mkdir(path.dirname(file), { recursive: true });
  return createSqliteLog({ path: file, synchronous, mayUseSpare });
};
