/**
 * `--record` and `--replay`: the model traffic of a whole tree of runs to a file, or from one, without a key and without a network.
 * What differs from machine to machine and from run to run (folders, ids) is made equal on both ways.
 */
import type { Json } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import type { RetinueOptions } from "../create-retinue.ts";
import { retinueHome } from "../settings/retinue-home.ts";
import type { Surroundings } from "./surroundings.ts";

export type CassetteOptions = {
  readonly record?: string;
  readonly replay?: string;
  readonly ignoreToolSchemas?: boolean;
};

export type OpenCassette = {
  /** For `createRetinue`. In a replay the model is the one that was recorded, so that none is looked for. */
  readonly more: Pick<RetinueOptions, "model" | "tap">;
  /** Keeps which model was used. */
  readonly note: (model: string) => Promise<void>;
  /** Throws `cassette_mismatch` where something recorded was not asked for. */
  readonly assertDone: () => void;
};

const NO_CASSETTE: OpenCassette = { more: {}, note: async () => undefined, assertDone: () => undefined };

export type CassetteContext = {
  readonly workspace: string;
  /** As set by a flag or by settings. */
  readonly flagModel: string | undefined;
  readonly settingsModel: string | undefined;
};

export const withCassette = async <T>(
  { record, replay, ignoreToolSchemas = false }: CassetteOptions,
  { workspace, flagModel, settingsModel }: CassetteContext,
  { secrets, env }: Surroundings,
  use: (cassette: OpenCassette) => Promise<T>,
): Promise<T> => {
  if (record !== undefined && replay !== undefined)
    throw new RetinueError("usage", "--record and --replay do not go together.", { hint: "Record first, replay later." });
  const file = record ?? replay;
  if (file === undefined) return use(NO_CASSETTE);
  const mode = record === undefined ? "play" : "record";
  await requireFile(file, mode);
  const { openCassette } = await import("@retinue/model/testing");
  const folders = [...new Set([workspace, await realpath(workspace)])];
  const home = retinueHome(env);
  const homes = [...new Set([home, await realpath(home).catch(() => home)])];
  const worktrees = homes.map((one) => new RegExp(`${RegExp.escape(join(one, "worktrees") + sep)}[\\w-]+`, "g"));
  const cassette = await openCassette({
    file,
    mode,
    secrets: secrets().map(({ value }) => value),
    normalize: (body) => makeEqual(body, { folders, worktrees }),
    madeAnew: MADE_ANEW,
    ignoreToolSchemas,
  });
  try {
    const { model: recorded, workspace: recordedIn } = cassette.about;
    // What was answered names the folder that it was recorded in, and is asked about again.
    if (typeof recordedIn === "string") folders.push(recordedIn);
    const model = flagModel ?? (typeof recorded === "string" ? recorded : settingsModel);
    if (mode === "play" && model === undefined)
      throw new RetinueError("usage", `${file} does not say which model was recorded.`, { hint: "Name it with --model." });
    return await use({
      more: { tap: cassette, ...(mode === "play" && model !== undefined && { model }) },
      note: (name) => cassette.note({ model: name, workspace: folders.at(-1) ?? workspace }),
      assertDone: mode === "play" ? cassette.assertDone : () => undefined,
    });
  } finally {
    await cassette.close();
  }
};

/** A recording never takes the place of a file that is something else. */
const requireFile = async (file: string, mode: "play" | "record"): Promise<void> => {
  let first: string;
  try {
    const handle = await open(file, mode === "play" ? "r" : "a+", 0o600);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(CASSETTE.length), 0, CASSETTE.length, 0);
      first = buffer.toString("utf8", 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const what = mode === "play" ? "read" : "written";
    throw new RetinueError("usage", `The cassette ${file} cannot be ${what}.`, {
      hint: mode === "play" ? "Record it first, with --record." : "Name a file that you may write.",
      cause,
    });
  }
  if (mode === "record" && first !== "" && first !== CASSETTE)
    throw new RetinueError("file_exists", `${file} is no cassette and was left as it is.`, { hint: "Name another file." });
};

const CASSETTE = '{"cassette":';

/** Ids of runs and sessions are made anew every time; those of artifacts follow from what they hold. */
const MADE_ANEW = /\b(run|ses|apr)_[0-9a-z]{24,}\b/g;

/** How long a sub-agent worked, in the result that its parent reads. */
const DURATION = /"durationMs":\d+/g;

/** Where runs work: the folder of the project, and the worktrees that are made for them. */
type Places = { readonly folders: readonly string[]; readonly worktrees: readonly RegExp[] };

const makeEqual = (body: Json, places: Places): Json => {
  if (typeof body === "string") {
    const inWorktrees = places.worktrees.reduce((text, worktree) => text.replace(worktree, "[worktree]"), body);
    return places.folders
      .reduce((text, folder) => (folder === "/" ? text : text.replaceAll(folder, "[workspace]")), inWorktrees)
      .replace(MADE_ANEW, "$1_[id]")
      .replace(DURATION, '"durationMs":0');
  }
  if (Array.isArray(body)) return body.map((item: Json) => makeEqual(item, places));
  if (body === null || typeof body !== "object") return body;
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, makeEqual(value, places)]));
};
