/**
 * What of a project's settings holds: that which narrows, and the rest only where the user has said that this very content is trusted. Whoever
 * wrote the project is not whoever runs it.
 */
import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Limits } from "@retinue/protocol";
import type { TrustClaim } from "@retinue/confine/trust";
import type { Layer, Raw, RawMap } from "./layer.ts";
import { isRawMap } from "./layer.ts";
import type { NarrowContext } from "./narrower.ts";
import type { Left, NarrowedProject } from "./narrow-project.ts";
import { narrowProject } from "./narrow-project.ts";
import { toShownSettings } from "./shown-settings.ts";

export type ProjectTrust = {
  readonly layer: Layer;
  readonly warnings: readonly string[];
  readonly isTrusted: boolean;
  /** Limits of a project that is not trusted, where nobody else says one. */
  readonly ceilings: Limits;
  /** What the project asks for and is not trusted for. */
  readonly untrusted?: TrustClaim;
};

export type ProjectTrustOptions = {
  readonly project: Layer;
  readonly file: string;
  /** The folder of the user's state. */
  readonly home: string;
  /** What holds without the project. */
  readonly below: RawMap;
  readonly context: NarrowContext;
};

export const followProject = async ({ project, file, home, below, context }: ProjectTrustOptions): Promise<ProjectTrust> => {
  const narrowed = narrowProject(project.tree, below, context);
  const refusals = narrowed.refused.map(
    ({ path, wanted, below: held }) =>
      `${project.where(path, "value")}: ${path.join(".")}: ${toWord(wanted)} is not followed, ${toWord(held)} stays: ` +
      "a project may only narrow it. Set it in your own file, as RETINUE_APPROVE or with --approve.",
  );
  const claim = await toSettingsClaim(narrowed, file);
  if (!claim) return { layer: { ...project, tree: narrowed.kept }, warnings: refusals, isTrusted: false, ceilings: {} };
  const { createTrustStore } = await import("@retinue/confine/trust");
  if (await createTrustStore({ file: join(home, "trust.json") }).isTrusted(claim))
    return { layer: { ...project, tree: narrowed.trusted }, warnings: refusals, isTrusted: true, ceilings: {} };
  return {
    layer: { ...project, tree: narrowed.kept },
    warnings: [...narrowed.leftOut.map((left) => toWarning(left, project)), ...refusals],
    isTrusted: false,
    ceilings: narrowed.ceilings,
    untrusted: claim,
  };
};

const toWord = (value: Raw | undefined): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The command lines of hooks and servers. */
const commandsOf = ({ hooks, mcpServers }: RawMap): readonly string[] => {
  const entries = [
    ...(Array.isArray(hooks) ? (hooks as readonly Raw[]) : []),
    ...Object.values(isRawMap(mcpServers) ? mcpServers : {}),
  ];
  return entries.flatMap((entry) => {
    if (!isRawMap(entry)) return [];
    const { command, args } = entry;
    return [command, ...(Array.isArray(args) ? (args as readonly Raw[]) : [])].filter((word) => typeof word === "string");
  });
};

const toWarning = ({ path, below }: Left, project: Layer): string => {
  const stays =
    typeof below === "number" || typeof below === "boolean" || typeof below === "string" ? `, and ${below} stays` : "";
  return (
    `${project.where(path, "key")}: ${path.join(".")} is not followed: this project is not trusted${stays}. ` +
    "`retinue trust` shows what it asks for."
  );
};

const toSettingsClaim = async ({ asked }: NarrowedProject, file: string): Promise<TrustClaim | undefined> => {
  if (Object.keys(asked).length === 0) return undefined;
  const { digestCommandFiles, digestOf } = await import("@retinue/confine/trust");
  const project = await realpath(dirname(file));
  const files = await digestCommandFiles({ root: project, texts: commandsOf(asked) });
  const names = Object.keys(files);
  return {
    project,
    subject: "settings",
    // What was read from YAML is JSON.
    hash: digestOf(names.length === 0 ? asked : { asked, files }),
    shown: `${file}: ${toShownSettings(asked)}${names.length === 0 ? "" : ` with ${names.join(", ")} as they are now`}`,
  };
};
