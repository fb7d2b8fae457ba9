/**
 * The one place where it is decided whether a tool call may run: from the tool's own declaration, the run's frozen grant and the real
 * paths it will touch. Nothing a model or a tool says changes the outcome, and a denial beats everything.
 */
import path from "node:path";
import type { ErrorValue, Json, ProposedAct, RunSpec } from "@retinue/protocol";
import picomatch from "picomatch";
import type { AnyTool } from "./tool.ts";

export type Judgement =
  | { readonly type: "allow" }
  | { readonly type: "ask"; readonly act: ProposedAct }
  | { readonly type: "deny"; readonly error: ErrorValue };

export type Judged = {
  readonly callId: string;
  readonly tool: AnyTool;
  readonly input: unknown;
  readonly spec: RunSpec;
  /** Follows every link. */
  readonly realPath: (path: string) => Promise<string>;
};

const ALLOW: Judgement = { type: "allow" };

/** Texts kept by the session itself; they are no files. */
const isArtifact = (name: string): boolean => /^artifact:art_[\w-]+$/.test(name);

export const judge = async ({ callId, tool, input, spec, realPath }: Judged): Promise<Judgement> => {
  const { grant, workspace } = spec;
  const touches = tool.touches(input);
  const paths: string[] = [];
  for (const named of touches.paths ?? []) {
    if (isArtifact(named)) continue;
    if (named.includes("\0")) return deny("path_outside_workspace", "A path may not contain a NUL character.");
    const real = await realPath(path.resolve(workspace, named));
    if (!isInside(workspace, real))
      return deny("path_outside_workspace", `"${named}" is ${real}, which is outside the workspace ${workspace}.`);
    if (tool.effect === "write" && !isInScope(grant.writes, path.relative(workspace, real)))
      return deny(
        "path_outside_scope",
        `"${named}" is not among the paths that this agent may write: ${grant.writes.map((globs) => globs.join(", ")).join("; and ")}.`,
      );
    paths.push(real);
  }
  if (tool.effect === "read") return ALLOW;
  switch (grant.approve) {
    case "all":
      return ALLOW;
    case "read-only":
      return deny("act_denied", `"${tool.name}" would ${tool.effect}, and this run is read-only.`);
    case "ask":
    case "workspace":
      return {
        type: "ask",
        // The input was parsed from JSON, so that it is one.
        act: { callId, tool: tool.name, effect: tool.effect, input: input as Json, paths, hosts: [...(touches.hosts ?? [])] },
      };
    default:
      return grant.approve satisfies never;
  }
};

export const isInside = (folder: string, file: string): boolean => {
  const relative = path.relative(folder, file);
  return relative === "" || (relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
};

/** One glob of each list must match. */
const isInScope = (writes: RunSpec["grant"]["writes"], relative: string): boolean => {
  const file = relative.split(path.sep).join("/");
  return writes.every((globs) => globs.some((glob) => picomatch(glob, { dot: true })(file)));
};

const deny = (code: ErrorValue["code"], message: string): Judgement => ({ type: "deny", error: { code, message } });
