/**
 * The one place where it is decided whether a tool call may run: from the tool's own declaration, the run's frozen spec and the real
 * paths it will touch. Nothing a model or a tool says changes the outcome.
 */
import path from "node:path";
import type { ErrorValue, Json, ProposedAct, RunSpec } from "@retinue/protocol";
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
const isArtifact = (name: string): boolean => name.startsWith("artifact:");

export const judge = async ({ callId, tool, input, spec, realPath }: Judged): Promise<Judgement> => {
  const touches = tool.touches(input);
  const paths: string[] = [];
  for (const named of touches.paths ?? []) {
    if (isArtifact(named)) continue;
    if (named.includes("\0")) return deny("path_outside_workspace", "A path may not contain a NUL character.");
    const real = await realPath(path.resolve(spec.workspace, named));
    if (!isInside(spec.workspace, real))
      return deny("path_outside_workspace", `"${named}" is ${real}, which is outside the workspace ${spec.workspace}.`);
    paths.push(real);
  }
  if (tool.effect === "read") return ALLOW;
  switch (spec.approve) {
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
      return spec.approve satisfies never;
  }
};

export const isInside = (folder: string, file: string): boolean => {
  const relative = path.relative(folder, file);
  return relative === "" || (relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
};

const deny = (code: ErrorValue["code"], message: string): Judgement => ({ type: "deny", error: { code, message } });
