/**
 * What a command may do, as a profile of Seatbelt, the sandbox of macOS: the bounds that bubblewrap is given, in the language of
 * `sandbox-exec -p`. Everything is denied but what is named, and of two rules that fit the later one holds, so that the order is the policy.
 * Nothing runs under it yet.
 */
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { isInside, PROTECTED_KINDS } from "@retinue/runtime";
import type { HostPlaces } from "./host-places.ts";
import type { SandboxProfile } from "./sandbox.ts";
import { toLiteral, toNameRegex, toSubpath } from "./seatbelt-text.ts";

export type SeatbeltOptions = {
  readonly profile: SandboxProfile;
  readonly host: HostPlaces;
  /** The project, in which names are protected whether they exist yet or not. */
  readonly project: string;
  /** Files of it that are named like secrets, were looked at, and may be read; absolute. */
  readonly seen: readonly string[];
  /** The command's own home and temporary folder: nothing can be put in the place of the real ones here. */
  readonly privateFolder: string;
  /** Where the proxy listens on the loopback; without one there is no network at all. */
  readonly proxyPort: number | undefined;
};

const READ = "file-read* file-map-executable process-exec";
const WRITE = "file-write*";

/** Programs and libraries. */
const SYSTEM = [
  "/bin",
  "/sbin",
  "/usr",
  "/opt",
  "/System",
  "/Library",
  "/Applications",
  "/private/etc",
  "/private/var/select",
  "/private/var/db/dyld",
  "/private/var/db/timezone",
];
/** What of it belongs to somebody; the last is another way to everything. */
const NOT_SYSTEM = ["/Library/Keychains", "/Library/Application Support", "/System/Volumes/Data"];
/** Links that lead to `/private`, and the root itself. */
const LOOKED_AT = ["/", "/etc", "/var", "/tmp", "/private", "/private/var", "/dev"];
const DEVICES = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"];
/** Who the user is, by number. Nothing that holds keys, opens windows or resolves hosts. */
const SERVICE = "com.apple.system.opendirectoryd.libinfo";

/** Throws where the bounds need what Seatbelt cannot do, or a path cannot be written down. */
export const toSeatbeltProfile = (options: SeatbeltOptions): string => {
  const { profile, host, project, seen, proxyPort } = options;
  if (profile.copy)
    throw new RetinueError("sandbox_unavailable", "Seatbelt cannot show a command a copy in the place of its workspace.");
  const places = toPlaces(options);
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-fork)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    `(allow mach-lookup (global-name "${SERVICE}"))`,
    ...rule("allow", READ, SYSTEM.map(toSubpath)),
    ...rule("deny", READ, NOT_SYSTEM.map(toSubpath)),
    ...rule("allow", "file-read-metadata", LOOKED_AT.map(toLiteral)),
    ...rule("allow", "file-read*", DEVICES.map(toLiteral)),
    ...rule("allow", "file-write-data", [toLiteral("/dev/null")]),
    ...places.flatMap(({ at, mayRead, mayWrite }) => [
      ...rule(mayRead ? "allow" : "deny", READ, [toSubpath(at)]),
      ...rule(mayWrite ? "allow" : "deny", WRITE, [toSubpath(at)]),
    ]),
    // On the way to what is seen: that it is there, and not what else is.
    ...rule("allow", "file-read-metadata", waysTo(places.filter(({ mayRead }) => mayRead).map(({ at }) => at)).map(toLiteral)),
    ...rule(
      "deny",
      "file-write-unlink",
      waysTo([...profile.hidden.map(({ path: at }) => at), ...profile.readOnly, ...host.hidden.map(({ path: at }) => at)]).map(
        toLiteral,
      ),
    ),
    ...PROTECTED_KINDS.flatMap((kind) => {
      const names = toNames(project, kind);
      const secrets = seen.length === 0 ? names : `(require-all ${names} (require-not ${anyOf(seen.map(toLiteral))}))`;
      return [...(kind.isSecret ? rule("deny", READ, [secrets]) : []), ...rule("deny", WRITE, [names])];
    }),
    ...(proxyPort === undefined ? [] : [`(allow network-outbound (remote tcp "localhost:${proxyPort}"))`]),
    "",
  ].join("\n");
};

type Place = { readonly at: string; readonly mayRead: boolean; readonly mayWrite: boolean };

/** By depth, and at the same place as given, like the mounts of bubblewrap: what is said last of a place holds there, whatever is said of those around it. */
const toPlaces = ({ profile, host, privateFolder }: SeatbeltOptions): readonly Place[] => {
  const own = [...profile.readable, ...profile.writable];
  const tools = [...host.tools, ...(profile.network ? [] : host.caches)].filter(
    ({ from }) => !own.some((each) => isInside(each, from)),
  );
  const unseen = { mayRead: false, mayWrite: false };
  const read = { mayRead: true, mayWrite: false };
  const written = { mayRead: true, mayWrite: true };
  const places: readonly Place[] = [
    ...[...host.emptied, ...profile.emptied].map((at) => ({ at, ...unseen })),
    { at: privateFolder, ...written },
    ...tools.map(({ from }) => ({ at: from, ...read })),
    ...host.hidden.map(({ path: at }) => ({ at, ...unseen })),
    ...profile.readable.map((at) => ({ at, ...read })),
    ...profile.writable.map((at) => ({ at, ...written })),
    ...profile.readOnly.map((at) => ({ at, ...read })),
    // Another content cannot be shown, so that none is.
    ...(profile.shown ?? []).map(({ path: at }) => ({ at, ...unseen })),
    ...profile.hidden.map(({ path: at }) => ({ at, ...unseen })),
  ];
  return places
    .map((place, index) => ({ ...place, index, depth: place.at.split(path.sep).filter((name) => name !== "").length }))
    .toSorted((a, b) => a.depth - b.depth || a.index - b.index);
};

const rule = (verdict: "allow" | "deny", acts: string, filters: readonly string[]): readonly string[] =>
  filters.map((filter) => `(${verdict} ${acts} ${filter})`);

const anyOf = (filters: readonly string[]): string => `(require-any ${filters.join(" ")})`;

const toNames = (folder: string, { names, files = [], except = [] }: (typeof PROTECTED_KINDS)[number]): string => {
  const named = anyOf([
    toNameRegex({ folder, globs: names, withBelow: true }),
    ...(files.length === 0 ? [] : [toNameRegex({ folder, globs: files, withBelow: false })]),
  ]);
  if (except.length === 0) return named;
  return `(require-all ${named} (require-not ${toNameRegex({ folder, globs: except, withBelow: false })}))`;
};

/** Every folder on the way to these, without the root. */
const waysTo = (files: readonly string[]): readonly string[] => {
  const ways = new Set<string>();
  for (const file of files) for (let at = path.dirname(file); at !== path.dirname(at); at = path.dirname(at)) ways.add(at);
  return [...ways].toSorted();
};
