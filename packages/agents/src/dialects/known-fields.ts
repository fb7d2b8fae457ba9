/**
 * Gives the fields of a file the names that its dialect knows. A field that is only written differently counts, since it may restrict
 * something; a field that nobody knows is a warning, or an error where it seems to be meant to take rights away: the agent would have more
 * rights than its author gave it.
 */
import { nearestName } from "@retinue/protocol/names";
import type { Note } from "../problem.ts";
import type { YamlFields } from "../yaml-fields.ts";
import { looseName, renameFields } from "../yaml-fields.ts";

export type KnownFields = {
  readonly names: readonly string[];
  /** Other names, without case, dashes and underscores, that mean a known field. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** What is said of an unknown field besides that it is unknown. */
  readonly unknown?: string;
  /** Whether case never matters, so that nothing need be said of it. */
  readonly anyCase?: boolean;
  readonly note: Note;
};

/** Undefined where two fields mean the same one. */
export const nameFields = (fields: YamlFields, known: KnownFields): YamlFields | undefined => {
  const exact = new Set(known.names);
  const loose = new Map([
    ...known.names.map((name): [string, string] => [looseName(name), name]),
    ...Object.entries(known.synonyms ?? {}),
  ]);
  const taken = new Map<string, string>();
  const names = new Map<string, string>();
  for (const written of fields.names) {
    const meant = exact.has(written) ? written : loose.get(looseName(written));
    const line = fields.lineOf(written);
    if (meant === undefined) {
      if (isAboutRights(written, known))
        known.note(
          "error",
          line,
          describeUnknown(written, { ...known, unknown: "it seems to say what the agent may do, so that it is left out" }),
        );
      else known.note("warning", line, describeUnknown(written, known));
    }
    if (meant !== undefined && meant !== written && !known.anyCase)
      known.note("warning", line, `"${written}" is no field; it was taken as "${meant}"`);
    const target = meant ?? written;
    const earlier = taken.get(target);
    if (earlier !== undefined) {
      known.note("error", line, `"${written}" and "${earlier}" both mean "${target}"`);
      return undefined;
    }
    taken.set(target, written);
    names.set(written, target);
  }
  return renameFields(fields, (name) => names.get(name) ?? name);
};

/** Words by which files of all worlds say what an agent may do. */
const RIGHTS =
  /^(?:tools?|permissions?|permissionmode|(?:dis)?allow(?:ed)?(?:tools?|commands?|paths?)?|den(?:y|ied)(?:tools?|commands?|paths?)?|writes?|grants?|rules?|approv(?:e|al)s?|sandbox|hosts?|readonly|limits?|delegates?|alloweddelegations|candelegate|hooks?|isolation|max(?:iterations|turns|steps|durationms))$/;

const RIGHTS_NAMES = [
  "tools",
  "disallowedtools",
  "deniedtools",
  "allowedtools",
  "permission",
  "permissions",
  "writes",
  "delegates",
  "limits",
  "grant",
  "rules",
  "hosts",
  "permissionmode",
  "hooks",
  "isolation",
  "accept",
  "maxturns",
  "maxsteps",
  "maxiterations",
  "maxdurationms",
  "alloweddelegations",
  "candelegate",
];

const isAboutRights = (written: string, { names }: KnownFields): boolean => {
  const loose = looseName(written);
  if (RIGHTS.test(loose)) return true;
  const near = nearestName(loose, RIGHTS_NAMES);
  // A word that is nearer to a field which says nothing of rights is meant to be that one.
  return near !== undefined && nearestName(loose, [near, ...names.map(looseName).filter((name) => !RIGHTS.test(name))]) === near;
};

const describeUnknown = (name: string, { names, unknown = "it is ignored" }: KnownFields): string => {
  const nearest = nearestName(name, names);
  return `unknown field "${name}"${nearest === undefined ? "" : ` (did you mean "${nearest}"?)`}; ${unknown}`;
};
