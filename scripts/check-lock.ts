/**
 * Checks that an install gives the same tree everywhere: exact pins, locks that hold every platform's binary and name no
 * registry, and a written reason for every dependency.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";

type Versions = Readonly<Record<string, string>>;
type Overrides = { readonly [name: string]: string | Overrides };

type Manifest = {
  readonly name?: string;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly overrides?: Overrides;
};

export type Lock = {
  readonly packages?: Readonly<Record<string, { readonly resolved?: string; readonly optionalDependencies?: Versions }>>;
};

const EXACT = /^\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/;
const REASONS = "docs/dependencies.md";

/** The places a package may stand for an entry of a lock to find it, nearest first: the way Node looks for modules. */
const placesFor = (entry: string, name: string): string[] => {
  const places: string[] = [];
  for (let folder = entry; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    if (!folder.endsWith("node_modules")) places.push(folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`);
    if (folder === "") return places;
  }
};

/** Platform binaries that the lock leaves out: other platforms would install without them. */
export const missingOptionals = (lock: Lock): string[] => {
  const packages = lock.packages ?? {};
  return Object.entries(packages).flatMap(([entry, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !placesFor(entry, name).some((place) => place in packages))
      .map((name) => `${entry === "" ? "the root" : entry} wants "${name}", which the lock does not hold`),
  );
};

export const resolvedUrls = (lock: Lock): string[] =>
  Object.entries(lock.packages ?? {}).flatMap(([entry, { resolved }]) =>
    resolved?.includes("://") === true ? [`${entry} is resolved to a URL; set omit-lockfile-registry-resolved=true`] : [],
  );

const inexactOverrides = (overrides: Overrides): string[] =>
  Object.entries(overrides).flatMap(([name, version]) => {
    if (typeof version !== "string") return inexactOverrides(version);
    return version.startsWith("$") || EXACT.test(version) ? [] : [`overrides ${name}: "${version}" is not an exact version`];
  });

const versionsOf = (manifest: Manifest): [string, string][] =>
  [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies, manifest.peerDependencies].flatMap(
    (versions) => Object.entries(versions ?? {}),
  );

export const inexactVersions = (manifest: Manifest): string[] => [
  ...versionsOf(manifest).flatMap(([name, version]) =>
    EXACT.test(version) ? [] : [`${name}: "${version}" is not an exact version`],
  ),
  ...inexactOverrides(manifest.overrides ?? {}),
];

/** The rows of the table of reasons: name, where, why. */
const readReasons = (document: string): Map<string, { where: string; why: string }> =>
  new Map(
    document.split("\n").flatMap((line) => {
      const [, name, where, why] = /^\| `([^`]+)` *\| (.*?) *\| (.*?) *\|$/.exec(line) ?? [];
      return name === undefined || where === undefined || why === undefined ? [] : [[name, { where, why }]];
    }),
  );

/** Compares the table of reasons with who depends on what: from a dependency's name to the places that name it. */
export const reasonProblems = (document: string, uses: ReadonlyMap<string, ReadonlySet<string>>): string[] => {
  const reasons = readReasons(document);
  const unused = [...reasons.keys()]
    .filter((name) => !uses.has(name))
    .map((name) => `\`${name}\` is listed but nothing depends on it`);
  const unexplained = [...uses].flatMap(([name, places]) => {
    const where = [...places].toSorted().join(", ");
    const reason = reasons.get(name);
    if (reason === undefined || reason.why === "") return [`add a row: | \`${name}\` | ${where} | why |`];
    return reason.where === where ? [] : [`\`${name}\` is said to be used in ${reason.where}; it is used in ${where}`];
  });
  return [...unused, ...unexplained];
};

// The shapes are npm's own; files that break them fail `npm ci` long before this.
const readManifest = (file: string): Manifest => JSON.parse(readFileSync(file, "utf8")) as Manifest;
const readLock = (file: string): Lock => JSON.parse(readFileSync(file, "utf8")) as Lock;

const readText = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

export const checkLock = (root: string): string[] => {
  const manifests = globSync(["package.json", "{toolchain,bench}/package.json", "packages/*/package.json"], { cwd: root })
    .toSorted()
    .map((file) => ({ file, manifest: readManifest(path.join(root, file)) }));
  const own = new Set(manifests.map(({ manifest }) => manifest.name));
  const uses = new Map<string, Set<string>>();
  for (const { file, manifest } of manifests) {
    const place = path.basename(path.dirname(path.join("workspace", file)));
    for (const [name] of versionsOf(manifest)) {
      if (!own.has(name)) uses.set(name, (uses.get(name) ?? new Set()).add(place));
    }
  }
  return [
    ...manifests.flatMap(({ file, manifest }) => inexactVersions(manifest).map((problem) => `${file}: ${problem}`)),
    ...globSync(["package-lock.json", "{toolchain,bench}/package-lock.json"], { cwd: root }).flatMap((file) => {
      const lock = readLock(path.join(root, file));
      return [...missingOptionals(lock), ...resolvedUrls(lock)].map((problem) => `${file}: ${problem}`);
    }),
    ...reasonProblems(readText(path.join(root, REASONS)), uses).map((problem) => `${REASONS}: ${problem}`),
  ];
};

if (import.meta.main) {
  const problems = checkLock(path.dirname(import.meta.dirname));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
