/**
 * Bundles the command and the library into a few files of JavaScript. What every start needs is one file and what a plain run needs besides
 * is a second one, since finding, reading and linking many small files takes longer than their code does; everything else is loaded when it
 * is used.
 */
import path from "node:path";
import { rolldown } from "rolldown";

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

/** Files with all that they import, in the order in which a start needs them. A file that two of them need lies in the first. */
const GROUPS: readonly { readonly name: string; readonly roots: readonly string[] }[] = [
  { name: "command", roots: ["packages/retinue/src/cli/main.ts", "packages/retinue/src/cli/program.ts"] },
  {
    name: "run",
    roots: [
      "packages/retinue/src/cli/run-command.ts",
      "packages/retinue/src/create-retinue.ts",
      "packages/retinue/src/settings/load-settings.ts",
      "packages/retinue/src/secrets/find-secrets.ts",
      "packages/store/src/sqlite/sqlite-log.ts",
    ],
  },
];

/** Needed by almost every start, pure JavaScript, and quicker to load as a part of ours. The others are installed beside us. */
export const BUNDLED: readonly string[] = ["commander", "diff", "yaml", "zod"];

export type BundleOptions = {
  readonly root: string;
  /** Where the files of code go. */
  readonly folder: string;
  /** Packages that are installed beside the code. */
  readonly beside: ReadonlySet<string>;
  /** Told of every module as it was read. */
  readonly onModule?: (file: string, text: string) => void;
};

export type BundledFile = { readonly name: string; readonly bytes: number; readonly modules: readonly string[] };

export const bundleCode = async ({ root, folder, beside, onModule }: BundleOptions): Promise<readonly BundledFile[]> => {
  const bundle = await rolldown({
    cwd: root,
    input: { ...ENTRIES },
    platform: "node",
    external: (id) => isBeside(id, beside),
    plugins: [
      {
        name: "tell-modules",
        transform: (text, file) => {
          onModule?.(file, text);
          return null;
        },
        renderChunk: (code) => ({ code: takeBuiltins(code), map: null }),
      },
    ],
    // Whatever the bundler doubts could be missing in the package. That a group holds what is also imported later is meant so.
    onwarn: (warning) => {
      if (warning.code !== "INEFFECTIVE_DYNAMIC_IMPORT") throw new Error(`${warning.code ?? "warning"}: ${warning.message}`);
    },
  });
  try {
    const { output } = await bundle.write({
      dir: folder,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      // Half the text is read and compiled in less time; names stay, for whoever reads a stack.
      minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
      codeSplitting: {
        includeDependenciesRecursively: true,
        groups: GROUPS.map(({ name, roots }, at) => ({
          name,
          priority: GROUPS.length - at,
          test: toTest(root, roots),
        })),
      },
    });
    return output
      .filter((file) => file.type === "chunk")
      .map(({ fileName, code, moduleIds }) => ({ name: fileName, bytes: Buffer.byteLength(code), modules: moduleIds }));
  } finally {
    await bundle.close();
  }
};

/**
 * Imports of Node's own modules as what they are, objects: an import statement reads all that such a module exports, and so makes Node load
 * what nobody asked for, such as an HTTP client with node:http.
 */
const takeBuiltins = (code: string): string =>
  code.replaceAll(/^import ([^;]+?) from "(node:[a-z_/]+)";$/gm, (statement, names: string, builtin: string) => {
    const module = `process.getBuiltinModule("${builtin}")`;
    const [, whole, rest] = /^(?:\* as )?([\w$]+)(?:, (\{.*\}))?$/.exec(names) ?? [];
    if (whole !== undefined)
      return `const ${whole} = ${module};${rest === undefined ? "" : `const ${toPattern(rest)} = ${whole};`}`;
    return names.startsWith("{") ? `const ${toPattern(names)} = ${module};` : statement;
  });

/** `{ a as b, c }` becomes `{ a: b, c }`. */
const toPattern = (names: string): string => names.replaceAll(/([\w$]+) as ([\w$]+)/g, "$1: $2");

const toTest = (root: string, roots: readonly string[]): ((id: string) => boolean) => {
  const files = new Set(roots.map((file) => path.join(root, file)));
  return (id) => files.has(path.normalize(id));
};

const isBeside = (id: string, beside: ReadonlySet<string>): boolean => {
  const [scope = "", name = ""] = id.split("/");
  return beside.has(scope.startsWith("@") ? `${scope}/${name}` : scope) && !BUNDLED.includes(scope);
};
