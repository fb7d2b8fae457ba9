/** The record of the settings, open for as long as a command needs it. */
import { realpath } from "node:fs/promises";
import type { ReadSide } from "@retinue/store";
import type { RetinueStore } from "../../open-record.ts";
import type { SessionOptions, SessionSettings } from "../session-options.ts";
import { loadSessionSettings } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";

export type CommandRecord = {
  readonly store: RetinueStore;
  readonly sessions: ReadSide;
  /** With all links followed, as it stands in the record. */
  readonly workspace: string;
  readonly loaded: SessionSettings;
};

export const withRecord = async <T>(
  options: SessionOptions,
  surroundings: Surroundings,
  use: (record: CommandRecord) => Promise<T>,
): Promise<T> => {
  const loaded = await loadSessionSettings(options, surroundings);
  const workspace = await realpath(loaded.workspace);
  const { openRecord } = await import("../../open-record.ts");
  const store = await openRecord({ settings: loaded.settings, env: surroundings.env, workspace, mayUseSpare: true });
  try {
    return await use({ store, sessions: store.readSide, workspace, loaded });
  } finally {
    await store.close();
  }
};
