/**
 * Lets the files of a folder of tools be imported from memory, and lets them import `retinue` and `zod` wherever the folder lies. Only modules
 * of such folders are touched; everything else in the process is loaded as ever.
 */
import { createHash } from "node:crypto";
import { isBuiltin, registerHooks } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ToolFolder } from "./read-tool-folder.ts";

export type HookedFolder = {
  readonly folder: ToolFolder;
  /** Whether its files may import files outside it. What is trusted by its hash may not, since the hash does not cover them. */
  readonly isOpen: boolean;
  /** The module from whose place `retinue` and `zod` are found. */
  readonly resolveFrom: string;
};

/** By the version in the URL: a folder that has changed is loaded anew, beside what was loaded before. */
const folders = new Map<string, HookedFolder>();
const VERSION = "retinue-tools";

/** Two folders may hold the same. */
const versionOf = (folder: ToolFolder): string => createHash("sha256").update(`${folder.hash} ${folder.path}`).digest("hex");

export const hookFolder = (hooked: HookedFolder): void => {
  if (folders.size === 0) registerHooks({ resolve, load });
  folders.set(versionOf(hooked.folder), hooked);
};

/** The URL by which a file of the folder is imported. */
export const toModuleUrl = (folder: ToolFolder, file: string): string =>
  `${pathToFileURL(file).href}?${VERSION}=${versionOf(folder)}`;

const folderOf = (url: string | undefined): HookedFolder | undefined => {
  const at = url?.lastIndexOf(`?${VERSION}=`) ?? -1;
  return url === undefined || at < 0 ? undefined : folders.get(url.slice(at + VERSION.length + 2));
};

type Hooks = Parameters<typeof registerHooks>[0];

const resolve: NonNullable<Hooks["resolve"]> = (specifier, context, next) => {
  const hooked = folderOf(context.parentURL);
  if (hooked === undefined || isBuiltin(specifier)) return next(specifier, context);
  const { folder, isOpen, resolveFrom } = hooked;
  if (/^(?:retinue|zod)(?:\/|$)/.test(specifier)) return next(specifier, { ...context, parentURL: resolveFrom });
  const file = toFile(specifier, context.parentURL ?? "");
  if (file === undefined && !isOpen)
    throw new Error(`the package "${specifier}" is not in the folder of tools; only what is in it was trusted`);
  if (file === undefined) return next(specifier, context);
  if (folder.sources.has(file)) return { url: toModuleUrl(folder, file), shortCircuit: true };
  if (!isOpen && !isInside(folder.path, file))
    throw new Error(`"${specifier}" lies outside the folder of tools; only what is in it was trusted`);
  if (isInside(folder.path, file)) throw new Error(`There is no "${specifier}" in the folder of tools`);
  return next(specifier, context);
};

/** The file that a relative or absolute import means; undefined for packages. */
const toFile = (specifier: string, parent: string): string | undefined => {
  const url = specifier.startsWith("file:") || /^\.{0,2}\//.test(specifier) ? URL.parse(specifier, parent) : null;
  return url?.protocol === "file:" ? fileURLToPath(new URL(url.pathname, url)) : undefined;
};

const isInside = (folder: string, file: string): boolean => file.startsWith(folder + path.sep);

const FORMATS: Readonly<Record<string, string>> = {
  ".ts": "module-typescript",
  ".mts": "module-typescript",
  ".js": "module",
  ".mjs": "module",
  ".json": "json",
};

const load: NonNullable<Hooks["load"]> = (url, context, next) => {
  const hooked = folderOf(url);
  if (hooked === undefined) return next(url, context);
  const file = fileURLToPath(url.slice(0, url.lastIndexOf("?")));
  const source = hooked.folder.sources.get(file);
  const format = FORMATS[path.extname(file)];
  if (source === undefined || format === undefined) throw new Error(`${file} cannot be imported`);
  return { source, format, shortCircuit: true };
};
