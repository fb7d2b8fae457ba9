/**
 * The types of the library for those who import it: the declarations that its own lead to, of all rooms, in one folder, where each finds the
 * others by their place and not by a name that nobody but us can resolve.
 */
import { execFile } from "node:child_process";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

type Manifest = { readonly name: string; readonly exports?: Readonly<Record<string, string>> };

const ENTRIES = ["retinue/src/index.d.ts", "retinue/src/library/testing.d.ts"];
const IMPORT = /\b(from |import |import\()"([^"]+)"/g;

export const writeTypes = async (root: string, folder: string): Promise<void> => {
  const options = path.join(folder, "tsconfig.json");
  writeFileSync(
    options,
    JSON.stringify({
      extends: path.join(root, "tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        allowJs: false,
        checkJs: false,
        typeRoots: [path.join(root, "node_modules/@types")],
        rootDir: path.join(root, "packages"),
        outDir: folder,
      },
      include: [path.join(root, "packages/*/src")],
      // Of what is for tests, this alone is for those of others, too.
      files: [path.join(root, "packages/model/src/testing/index.ts")],
      exclude: [
        path.join(root, "packages/*/src/**/*.test.ts"),
        path.join(root, "packages/*/src/**/testing"),
        // The page is served, and not imported by anybody.
        path.join(root, "packages/web"),
      ],
    }),
  );
  await promisify(execFile)(process.execPath, [path.join(root, "node_modules/typescript/bin/tsc"), "-p", options], {
    cwd: root,
  }).catch((thrown: { readonly stdout?: string }) => {
    throw new Error(`the types cannot be written:\n${thrown.stdout ?? ""}`, { cause: thrown });
  });
  rmSync(options);
  const places = readPlaces(root);
  const needed = new Set(ENTRIES);
  // A set gives those that were added on the way, too.
  for (const file of needed) {
    const text = pointAtPlaces(readFileSync(path.join(folder, file), "utf8"), file, places);
    writeFileSync(path.join(folder, file), text);
    for (const [, , name = ""] of text.matchAll(IMPORT))
      if (name.startsWith(".")) needed.add(path.posix.join(path.posix.dirname(file), name.replace(/\.js$/, ".d.ts")));
  }
  for (const file of globSync("**/*.d.ts", { cwd: folder })) if (!needed.has(file)) rmSync(path.join(folder, file));
};

/** What each name of ours stands for, relative to `packages`. */
const readPlaces = (root: string): ReadonlyMap<string, string> =>
  new Map(
    globSync("packages/*/package.json", { cwd: root, exclude: ["packages/retinue/**"] }).flatMap((file) => {
      const { name, exports = {} } = JSON.parse(readFileSync(path.join(root, file), "utf8")) as Manifest;
      const room = path.basename(path.dirname(file));
      return Object.entries(exports)
        .filter(([, target]) => target.endsWith(".ts"))
        .map(([entry, target]) => [path.posix.join(name, entry), path.posix.join(room, target)] as const);
    }),
  );

const pointAtPlaces = (text: string, file: string, places: ReadonlyMap<string, string>): string =>
  text.replaceAll(IMPORT, (_whole, before: string, name: string) => {
    const place = places.get(name);
    const target = place === undefined ? name : toRelative(path.posix.relative(path.posix.dirname(file), place));
    return `${before}"${target.startsWith(".") ? target.replace(/\.ts$/, ".js") : target}"`;
  });

const toRelative = (place: string): string => (place.startsWith(".") ? place : `./${place}`);
