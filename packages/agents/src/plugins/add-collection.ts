/**
 * Copies what a collection brings into a project or a home. What is written is what was read and shown, byte by byte; nothing that is there is written
 * over unasked, no link is followed on the way, and a record of digests tells later what was added and whether it was changed.
 */
import { hash } from "node:crypto";
import { lstat, mkdir, readFile, realpath, rename, rm, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { isInside } from "@retinue/runtime";
import { z } from "zod";
import type { Collection, CollectionFile } from "./collection.ts";

const addedSchema = z.object({
  added: z.array(
    z.object({
      plugin: z.string(),
      /** The folder that it came from. */
      from: z.string(),
      /** The project or the home that it was copied to. */
      to: z.string(),
      /** A hash of each file, by its path below that. */
      files: z.record(z.string(), z.string()),
    }),
  ),
});

export type AddedPlugin = z.infer<typeof addedSchema>["added"][number];

export const digestFile = (content: Uint8Array): string => hash("sha256", content, "hex");

const contentOf = (file: string): Promise<Uint8Array | undefined> =>
  readFile(file).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === "ENOENT" || thrown.code === "ENOTDIR") return undefined;
    throw thrown;
  });

export const filesOf = ({ plugins }: Collection): readonly CollectionFile[] =>
  plugins.flatMap(({ items }) => items.flatMap(({ files }) => files));

/** Files that are there already with another content, below the target. */
export const findStanding = async (collection: Collection, target: string): Promise<readonly string[]> => {
  const standing: string[] = [];
  for (const { to, content } of filesOf(collection)) {
    const there = await lstat(path.join(target, to)).catch(() => undefined);
    if (!there) continue;
    const same =
      there.isFile() && digestFile((await contentOf(path.join(target, to))) ?? new Uint8Array()) === digestFile(content);
    if (!same) standing.push(to);
  }
  return standing;
};

export type AddOptions = {
  /** The project or the home; real. */
  readonly target: string;
  /** Where it is kept what was added. */
  readonly recordFile: string;
  /** What is there already is written over. */
  readonly replace: boolean;
};

/** Two of one collection for the same place are one too many. */
const refuseTwins = (files: readonly CollectionFile[]): void => {
  const seen = new Map<string, string>();
  for (const { to, from } of files) {
    const earlier = seen.get(to.toLowerCase());
    if (earlier !== undefined)
      throw new RetinueError("usage", `Nothing was added: ${earlier} and ${from} would both become ${to}.`, {
        hint: "Add one plugin of the folder, by its own path.",
      });
    seen.set(to.toLowerCase(), from);
  }
};

export const addCollection = async (
  collection: Collection,
  { target, recordFile, replace }: AddOptions,
): Promise<readonly string[]> => {
  const files = filesOf(collection);
  refuseTwins(files);
  const standing = await findStanding(collection, target);
  if (standing.length > 0 && !replace)
    throw new RetinueError(
      "file_exists",
      `Nothing was added: ${standing.join(", ")} ${standing.length === 1 ? "is" : "are"} already there.`,
      {
        hint: "--replace writes over them.",
      },
    );
  for (const { to } of files) if (!isInside(target, path.join(target, to))) throw leadsOut(to, target);
  for (const { to } of files) await requireInside(target, path.dirname(path.join(target, to)));
  for (const { to, content } of files) {
    const file = path.join(target, to);
    // Never through a link that lies there.
    if (replace) await rm(file, { force: true });
    await writeFile(file, content, { flag: "wx" }).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== "EEXIST") throw thrown;
    });
  }
  const others = (await readAdded(recordFile)).filter(
    ({ plugin, to }) => to !== target || !collection.plugins.some(({ name }) => name === plugin),
  );
  const now = collection.plugins.map(({ name, items }): AddedPlugin => {
    const own = items.flatMap((item) => item.files);
    return {
      plugin: name,
      from: collection.folder,
      to: target,
      files: Object.fromEntries(own.map(({ to, content }) => [to, digestFile(content)])),
    };
  });
  await writeAdded(recordFile, [...others, ...now]);
  return files.map(({ to }) => to);
};

/** Makes a folder, and refuses one that a link leads out of the target. */
const requireInside = async (target: string, folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  if (!isInside(await realpath(target), await realpath(folder))) throw leadsOut(folder, target);
};

const leadsOut = (what: string, target: string): RetinueError =>
  new RetinueError("usage", `Nothing was added: ${what} leads out of ${target}.`, { hint: "Take the link away." });

export const readAdded = async (recordFile: string): Promise<readonly AddedPlugin[]> => {
  const content = await contentOf(recordFile);
  if (content === undefined) return [];
  const parsed = addedSchema.safeParse(JSON.parse(new TextDecoder().decode(content)));
  return parsed.success ? parsed.data.added : [];
};

const writeAdded = async (recordFile: string, added: readonly AddedPlugin[]): Promise<void> => {
  await mkdir(path.dirname(recordFile), { recursive: true, mode: 0o700 });
  const next = `${recordFile}.next`;
  await writeFile(next, `${JSON.stringify({ added }, null, 2)}\n`, { mode: 0o600 });
  await rename(next, recordFile);
};

export type Removed = { readonly removed: readonly string[]; readonly changed: readonly string[] };

/** Takes away what was added under a name, but for files that were changed since. */
export const removeAdded = async (
  plugin: string,
  { target, recordFile }: Pick<AddOptions, "target" | "recordFile">,
): Promise<Removed | undefined> => {
  const all = await readAdded(recordFile);
  const own = all.find((one) => one.plugin === plugin && one.to === target);
  if (!own) return undefined;
  const removed: string[] = [];
  const changed: string[] = [];
  for (const [to, digest] of Object.entries(own.files)) {
    const file = path.join(target, to);
    const content = isInside(target, file) ? await contentOf(file) : undefined;
    if (content === undefined) continue;
    if (digestFile(content) !== digest) changed.push(to);
    else {
      await rm(file);
      removed.push(to);
      await removeEmpty(target, path.dirname(file));
    }
  }
  await writeAdded(
    recordFile,
    all.filter((one) => one !== own),
  );
  return { removed, changed };
};

/** Folders that are left empty, up to the target. */
const removeEmpty = async (target: string, folder: string): Promise<void> => {
  if (folder === target || !isInside(target, folder)) return;
  const isGone = await rmdir(folder).then(
    () => true,
    () => false,
  );
  if (isGone) await removeEmpty(target, path.dirname(folder));
};
