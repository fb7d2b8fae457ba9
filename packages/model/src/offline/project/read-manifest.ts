/** One manifest at a time, by the name of its file. */
import { baseOf } from "./listing.ts";
import type { Listing } from "./listing.ts";
import type { Manifest, ManifestFile } from "./project.ts";
import { readCargo } from "./read-cargo.ts";
import { readComposer, readDeno, readPackageJson } from "./read-json-manifests.ts";
import { readPyproject, readRequirements, readSetup } from "./read-python.ts";
import { readDockerfile, readGoModule, readTargets } from "./read-line-manifests.ts";
import { readByTool } from "./usual-commands.ts";

type Reader = (file: ManifestFile) => Manifest;

/** The first pattern that fits is the one; earlier files say more about a project. */
const READERS: readonly (readonly [RegExp, Reader])[] = [
  [/^package\.json$/, readPackageJson],
  [/^pyproject\.toml$/, readPyproject],
  [/^Cargo\.toml$/, readCargo],
  [/^go\.mod$/, readGoModule],
  [/^composer\.json$/, readComposer],
  [/^deno\.jsonc?$/, readDeno],
  [/^(?:GNUmakefile|[Mm]akefile|[Jj]ustfile|\.justfile|Taskfile\.ya?ml)$/, readTargets],
  [/^setup\.(?:py|cfg)$/, readSetup],
  [
    /^(?:Gemfile|Rakefile|pom\.xml|build\.gradle(?:\.kts)?|CMakeLists\.txt|mix\.exs|Package\.swift|meson\.build|build\.zig)$/,
    readByTool,
  ],
  [/^(?:tox\.ini|noxfile\.py)$|\.(?:csproj|fsproj|sln|gemspec|cabal)$|^configure(?:\.ac)?$/, readByTool],
  [/^requirements[\w.-]*\.txt$/, readRequirements],
  [/^Dockerfile$|^(?:docker-)?compose\.ya?ml$/, readDockerfile],
];

const MOST_MANIFESTS = 6;

const orderOf = (path: string): number => READERS.findIndex(([pattern]) => pattern.test(baseOf(path)));

/** The manifests to read: those at the top; those one level below where the top has none. */
export const chooseManifests = ({ files }: Listing): readonly string[] => {
  const known = files.filter((file) => orderOf(file) >= 0);
  const top = known.filter((file) => !file.includes("/"));
  const below = known.filter(
    (file) => file.split("/").length === 2 && !/^(?:examples?|tests?|docs?|fixtures?|bench\w*)\//.test(file),
  );
  const chosen = top.some((file) => orderOf(file) < 10) ? top : [...top, ...below];
  return chosen.toSorted((a, b) => orderOf(a) - orderOf(b) || (a < b ? -1 : 1)).slice(0, MOST_MANIFESTS);
};

export const readManifest = (file: ManifestFile): Manifest | undefined => READERS[orderOf(file.path)]?.[1](file);
