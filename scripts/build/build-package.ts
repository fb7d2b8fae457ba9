/**
 * Builds the package that is published: the command and the library as a few files of JavaScript, with everything that they read or start
 * beside them, in a folder that `npm pack` takes as it is. All files of code lie in one folder at the depth that the sources have, so that
 * whatever a source finds beside itself is found in the package, too.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { PARSED_FILE, readBuiltinFiles } from "../../packages/agents/src/builtin-agents.ts";
import { buildPage } from "./build-page.ts";
import { toLicences } from "./bundled-licences.ts";
import { toPublishedManifest } from "./published-manifest.ts";
import { writeTypes } from "./write-types.ts";

/** Where files of code lie in the package. */
const CODE = "lib/retinue";

/** What other code starts as a thread or a process, by the name of its file. */
const STARTED = [
  "packages/tools/src/code/index-worker.ts",
  "packages/tools/src/code/parse-worker.ts",
  "packages/tools/src/web/parse/parser-worker.ts",
  "packages/tools/src/knowledge/database/sqlite-process.ts",
  "packages/tools/src/knowledge/database/process-watch.ts",
];

const ENTRIES: Readonly<Record<string, string>> = {
  index: "packages/retinue/src/index.ts",
  testing: "packages/retinue/src/library/testing.ts",
  main: "packages/retinue/src/cli/main.ts",
  ...Object.fromEntries(STARTED.map((file) => [path.basename(file, ".ts"), file])),
};

/** Needed by almost every start, pure JavaScript, and quicker to load as a part of ours. The others are installed beside us. */
const BUNDLED: readonly string[] = ["commander", "diff", "picomatch", "yaml", "zod"];

export type Built = {
  /** Names of the files of code. */
  readonly code: readonly string[];
  readonly bytes: number;
};

export type BuildOptions = { readonly root: string; readonly folder: string };

/** Whatever stood in the folder before is gone. */
export const buildPackage = async ({ root, folder }: BuildOptions): Promise<Built> => {
  const source = path.join(root, "packages/retinue");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const manifest = toPublishedManifest({ root, bundled: BUNDLED, code: CODE });
  const beside = new Set(Object.keys(manifest.dependencies));

  const bundle = await rolldown({
    cwd: root,
    input: { ...ENTRIES },
    platform: "node",
    external: (id) => isBeside(id, beside),
    // Whatever the bundler doubts could be missing in the package.
    onwarn: (warning) => {
      throw new Error(`${warning.code ?? "warning"}: ${warning.message}`);
    },
  });
  const { output } = await bundle.write({
    dir: path.join(folder, CODE),
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  });
  await bundle.close();

  const builtin = path.join(folder, CODE, "..", "builtin");
  cpSync(path.join(root, "packages/agents/builtin"), builtin, { recursive: true });
  const parsed = [...(await readBuiltinFiles()).values()].map(
    ({ file, definition }) => [path.basename(file), definition] as const,
  );
  writeFileSync(path.join(builtin, PARSED_FILE), JSON.stringify(Object.fromEntries(parsed)));
  for (const schema of ["retinue.schema.json", "test-case.schema.json"])
    cpSync(path.join(source, schema), path.join(folder, schema));
  cpSync(path.join(source, "bin"), path.join(folder, "bin"), { recursive: true });
  cpSync(path.join(root, "README.md"), path.join(folder, "README.md"));
  pointAtCode(path.join(folder, "bin/retinue.mjs"));
  const page = await buildPage(root);
  cpSync(page.folder, path.join(folder, "web"), { recursive: true });
  const types = path.join(folder, "types");
  mkdirSync(types);
  await writeTypes(root, types);
  const chunks = output.filter((file) => file.type === "chunk");
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  writeFileSync(path.join(folder, "LICENCES-OF-OTHERS.txt"), toLicences([...modules, ...page.modules]));
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return {
    code: chunks.map(({ fileName }) => fileName),
    bytes: chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0),
  };
};

const isBeside = (id: string, beside: ReadonlySet<string>): boolean => {
  const [scope = "", name = ""] = id.split("/");
  return beside.has(scope.startsWith("@") ? `${scope}/${name}` : scope) && !BUNDLED.includes(scope);
};

/** The command starts the code of the package where it starts the sources in a checkout. */
const pointAtCode = (file: string): void => {
  const text = readFileSync(file, "utf8");
  const parts = text.split('"../src/cli/main.ts"');
  if (parts.length !== 2) throw new Error(`${file} does not import the command once`);
  writeFileSync(file, parts.join(`"../${CODE}/main.js"`));
};
