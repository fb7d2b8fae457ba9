/** The looks that most questions about a project begin with: what is in the folder, then its manifests. */
import type { PlannedCall } from "../calls.ts";
import type { Exchange } from "../conversation.ts";
import type { Listing } from "../project/listing.ts";
import { toListing } from "../project/listing.ts";
import type { Manifest } from "../project/project.ts";
import { chooseManifests, readManifest } from "../project/read-manifest.ts";
import type { FoundLine } from "../tool-output.ts";
import { parseGrep, parseRead } from "../tool-output.ts";
import { clip } from "../wording.ts";
import type { Situation, Turn } from "./rule.ts";
import { answer, call, callOr, exchangesOf, offered } from "./rule.ts";

export type Project = {
  readonly listing: Listing;
  readonly manifests: readonly Manifest[];
  /** Lines that the searches of `alsoThen` have found. */
  readonly lines: readonly FoundLine[];
  readonly exchanges: readonly Exchange[];
};

export type Look = {
  /** What is looked at beside the folder, at once. */
  readonly also?: readonly PlannedCall[];
  /** Whether the manifests are needed. */
  readonly readsManifests?: boolean;
  /** Fewer where the agent has little room for what it reads. */
  readonly manifestLines?: number;
  /** How many levels of folders are listed. */
  readonly depth?: number;
  /** What is looked at once the folder is known. */
  readonly alsoThen?: (listing: Listing) => readonly PlannedCall[];
  readonly report: (project: Project) => Turn;
};

const MANIFEST_LINES = 260;

export const listWorkspace = (at: Situation, depth = 2): readonly PlannedCall[] => {
  const listed = offered(at, call("ls", { path: ".", depth }));
  return listed.length > 0 ? listed : offered(at, call("glob", { pattern: "**", limit: 1000 }));
};

export const lookAtProject = (
  at: Situation,
  { also = [], readsManifests = true, manifestLines = MANIFEST_LINES, depth = 2, alsoThen = () => [], report }: Look,
): Turn => {
  const exchanges = exchangesOf(at);
  const listing = toListing(exchanges);
  const end = (): Turn => report({ listing, manifests: toManifests(exchanges, listing), lines: toLines(exchanges), exchanges });
  if (at.turns.length === 0)
    return callOr("Looking at what is in the folder.", [...listWorkspace(at, depth), ...offered(at, ...also)], () =>
      answer("This needs ls or glob, and neither is offered here. Nothing was looked up."),
    );
  if (at.turns.length > 1) return end();
  const reads = readsManifests ? chooseManifests(listing).map((path) => call("read", { path, limit: manifestLines })) : [];
  return callOr("Reading what the project says about itself.", offered(at, ...reads, ...alsoThen(listing)), end);
};

const toManifests = (exchanges: readonly Exchange[], listing: Listing): readonly Manifest[] =>
  exchanges.flatMap(({ tool, input, text, isError }) => {
    const path = input["path"];
    if (tool !== "read" || isError || typeof path !== "string") return [];
    const manifest = readManifest({ path, lines: parseRead(text), listing });
    return manifest ? [manifest] : [];
  });

export const toLines = (exchanges: readonly Exchange[]): readonly FoundLine[] =>
  exchanges.flatMap(({ tool, text, isError }) => (tool === "grep" && !isError ? parseGrep(text).lines : []));

/** The lines of a file that was read. */
export const readOf = (exchanges: readonly Exchange[], path: string) =>
  parseRead(exchanges.find(({ tool, input, isError }) => tool === "read" && !isError && input["path"] === path)?.text ?? "");

export const toPlace = ({ path, line, text }: FoundLine, most?: number): string => `- ${path}:${line}: ${clip(text, most)}`;

export const bullets = (rows: readonly string[], most: number, noun: string): string => {
  const left = rows.length - most;
  return [...rows.slice(0, most), ...(left > 0 ? [`- … and ${left} more ${noun}`] : [])].join("\n");
};
