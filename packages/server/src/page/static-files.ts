/** The files of the built page. Only what stands in the folder's list is ever read, by its exact name: no path of a request reaches the file system. */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

export type StaticFile = { readonly file: string; readonly mediaType: string; readonly isHashed: boolean };

export type StaticFiles = {
  /** By the path of a request, as `/assets/main.js`. */
  readonly find: (pathname: string) => Promise<StaticFile | undefined>;
  readonly read: (found: StaticFile) => Promise<Buffer>;
};

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".txt": "text/plain; charset=utf-8",
};

/** Lists that are older are made again when a file is asked for that is not in them: the page may have been built meanwhile. */
const FRESH_MS = 1_000;

export const createStaticFiles = (folder: string): StaticFiles => {
  let files = new Map<string, StaticFile>();
  let listedAt = -Infinity;
  const list = async (): Promise<void> => {
    listedAt = performance.now();
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    files = new Map(
      entries
        .filter((entry) => entry.isFile())
        .map((entry) => {
          const file = path.join(entry.parentPath, entry.name);
          const name = `/${path.relative(folder, file).split(path.sep).join("/")}`;
          const mediaType = MEDIA_TYPES[path.extname(file)] ?? "application/octet-stream";
          return [name, { file, mediaType, isHashed: name.startsWith("/assets/") }];
        }),
    );
  };
  return {
    find: async (pathname) => {
      if (!files.has(pathname) && performance.now() - listedAt > FRESH_MS) await list();
      return files.get(pathname);
    },
    read: ({ file }) => readFile(file),
  };
};
