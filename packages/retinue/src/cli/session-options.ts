/** The options that `run` and the prompt share, and the settings that follow from them. */
import type { Limits } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { FlagSetting } from "../settings/flag-layer.ts";
import type { LoadedSettings } from "../settings/load-settings.ts";
import type { Surroundings } from "./surroundings.ts";
import { toPrintable } from "../terminal/printable.ts";

export type SessionOptions = {
  readonly model?: string;
  readonly agent?: string;
  readonly approve?: string;
  readonly limit?: readonly string[];
  readonly workspace?: string;
};

const toFlags = (options: SessionOptions): readonly FlagSetting[] => [
  ...(options.model === undefined ? [] : [{ name: "--model", path: ["model"], value: options.model }]),
  ...(options.approve === undefined ? [] : [{ name: "--approve", path: ["approve"], value: options.approve }]),
  ...(options.limit ?? []).map((limit) => {
    const [, key, value] = /^(\w+)=(.*)$/s.exec(limit) ?? [];
    if (key === undefined || value === undefined)
      throw new RetinueError("usage", `--limit ${limit} is not key=value, like --limit iterations=10.`);
    return { name: "--limit", path: ["limits", key], value };
  }),
];

export const toWorkspace = (options: Pick<SessionOptions, "workspace">): string => {
  const workspace = resolve(options.workspace ?? ".");
  if (!statSync(workspace, { throwIfNoEntry: false })?.isDirectory())
    throw new RetinueError("usage", `The workspace ${workspace} is not a folder.`, {
      hint: "Name one that exists with --workspace.",
    });
  return workspace;
};

/** What was said on the command line itself: it stands above settings and the files of agents. */
export type Flagged = { readonly model?: string; readonly limits?: Limits };

export type SessionSettings = LoadedSettings & { readonly workspace: string; readonly flagged: Flagged };

const toFlagged = ({ settings, origins }: LoadedSettings, { model }: SessionOptions): Flagged => {
  const limits = Object.entries(settings.limits).filter(([name]) => origins.get(`limits.${name}`)?.type === "flag");
  return { ...(model !== undefined && { model }), ...(limits.length > 0 && { limits: Object.fromEntries(limits) }) };
};

export const loadSessionSettings = async (options: SessionOptions, surroundings: Surroundings): Promise<SessionSettings> => {
  const workspace = toWorkspace(options);
  const flags = toFlags(options);
  const { loadSettings } = await import("../settings/load-settings.ts");
  const loaded = await loadSettings({ workspace, env: surroundings.env, flags });
  const { findSecrets } = await import("../secrets/find-secrets.ts");
  const { settings } = loaded;
  surroundings.learn(await findSecrets({ env: surroundings.env, settings, workspace, servers: settings.mcpServers }));
  for (const warning of loaded.warnings)
    await surroundings.stderr.write(`retinue: ${toPrintable(surroundings.redact(warning), "line")}\n`);
  return { ...loaded, workspace, flagged: toFlagged(loaded, options) };
};
