/** The manifest of the published package: that of `retinue`, with what all of its rooms need from others and nothing of ours. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

type Versions = Readonly<Record<string, string>>;

type Source = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly bin: Versions;
  readonly engines: Versions;
  readonly dependencies?: Versions;
};

export type PublishedManifest = Omit<Source, "dependencies"> & {
  readonly type: "module";
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Versions;
};

export type ManifestOptions = {
  readonly root: string;
  /** Part of the code already, so that nobody has to install them. */
  readonly bundled: readonly string[];
  /** The folder of the code in the package. */
  readonly code: string;
};

/** Tools that people write import it; they find the one that is installed with us. */
const FOR_USERS = "zod";

export const toPublishedManifest = ({ root, bundled, code }: ManifestOptions): PublishedManifest => {
  const rooms = new Map<string, Source>();
  for (const file of globSync("packages/*/package.json", { cwd: root })) {
    const manifest = JSON.parse(readFileSync(path.join(root, file), "utf8")) as Source;
    rooms.set(manifest.name, manifest);
  }
  const own = rooms.get("retinue");
  if (!own) throw new Error("there is no package retinue");
  const needed = new Map<string, string>();
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const [dependency, version] of Object.entries(rooms.get(name)?.dependencies ?? {}))
      if (rooms.has(dependency)) visit(dependency);
      else if (dependency === FOR_USERS || !bundled.includes(dependency)) needed.set(dependency, version);
  };
  visit(own.name);
  const { name, version, description, license, bin, engines } = own;
  return {
    name,
    version,
    description,
    license,
    type: "module",
    bin,
    exports: {
      ".": { types: "./types/retinue/src/index.d.ts", default: `./${code}/index.js` },
      "./testing": { types: "./types/retinue/src/library/testing.d.ts", default: `./${code}/testing.js` },
      "./schema.json": "./retinue.schema.json",
      "./package.json": "./package.json",
    },
    engines,
    dependencies: Object.fromEntries([...needed].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
};
