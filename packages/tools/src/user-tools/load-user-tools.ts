/**
 * Loads tools that people wrote in plain TypeScript, without a build. A file that is broken is reported with its reason and takes no other
 * down. The files run in this process with all its rights, so that those of a project are loaded only when they are trusted as they are.
 */
import path from "node:path";
import type { ErrorValue } from "@retinue/protocol";
import { RetinueError, toErrorValue } from "@retinue/protocol";
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { count } from "@retinue/confine";
import type { Origin } from "@retinue/confine";
import type { TrustClaim, TrustStore } from "@retinue/confine";
import { untrusted } from "@retinue/confine";
import { hookFolder, toModuleUrl } from "./module-hooks.ts";
import type { ToolFolder } from "./read-tool-folder.ts";
import { readToolFolder } from "./read-tool-folder.ts";

export type UserToolFolder = { readonly path: string; readonly origin: Origin };

export type LoadUserToolsOptions = {
  /** Of the user and of the project; one that does not exist is passed over. */
  readonly folders: readonly UserToolFolder[];
  /** Asked before anything of a project is loaded. Without it nothing of a project is. */
  readonly trust?: TrustStore;
  /** Names of other tools, which none of these gets. */
  readonly reserved?: readonly string[];
  /** `import.meta.url` of a module that can import `retinue` and `zod`. */
  readonly resolveFrom: string;
};

export type UserTools = {
  readonly tools: readonly AnyTool[];
  readonly problems: readonly ErrorValue[];
  /** What was not loaded because nobody has trusted it yet. */
  readonly untrusted: readonly TrustClaim[];
};

/** A file that waits at its top level waits no longer than this. */
const IMPORT_MS = 10_000;

export const loadUserTools = async ({ folders, trust, reserved = [], resolveFrom }: LoadUserToolsOptions): Promise<UserTools> => {
  const tools = new Map<string, AnyTool>();
  const taken = new Set(reserved.map((name) => name.toLowerCase()));
  const problems: ErrorValue[] = [];
  const claims: TrustClaim[] = [];
  for (const { path: named, origin } of folders) {
    let folder: ToolFolder | undefined;
    try {
      folder = await readToolFolder(named);
    } catch (thrown) {
      problems.push(toErrorValue(invalid(named, thrown)));
    }
    if (folder === undefined || folder.entries.length === 0) continue;
    const claim = toClaim(folder, origin);
    if (claim !== undefined && !(await trust?.isTrusted(claim))) {
      claims.push(claim);
      problems.push(toErrorValue(untrusted(claim)));
      continue;
    }
    hookFolder({ folder, isOpen: claim === undefined, resolveFrom });
    for (const file of folder.entries)
      try {
        for (const tool of await importTools(folder, file)) {
          if (taken.has(tool.name.toLowerCase()))
            problems.push(
              toErrorValue(
                new RetinueError("tool_name_taken", `${file}: "${tool.name}" is the name of another tool; this one is left out.`),
              ),
            );
          else {
            taken.add(tool.name.toLowerCase());
            tools.set(tool.name, tool);
          }
        }
      } catch (thrown) {
        problems.push(toErrorValue(invalid(file, thrown)));
      }
  }
  return { tools: [...tools.values()], problems, untrusted: claims };
};

/** Undefined for what the user set up, which needs no trust. */
const toClaim = (folder: ToolFolder, origin: Origin): TrustClaim | undefined => {
  if (origin.type === "user") return undefined;
  const files = folder.entries.map((file) => path.relative(origin.project, file));
  return {
    project: origin.project,
    subject: `tools:${path.relative(origin.project, folder.path)}`,
    hash: folder.hash,
    shown: `${count(folder.entries.length, "file")} of tools, loaded into Retinue itself: ${files.join(", ")}`,
  };
};

const importTools = async (folder: ToolFolder, file: string): Promise<readonly AnyTool[]> => {
  const module = await withinTime(import(/* @vite-ignore */ toModuleUrl(folder, file)) as Promise<Record<string, unknown>>);
  const exported = Object.values(module).flatMap((value): readonly unknown[] => (Array.isArray(value) ? value : [value]));
  const tools = [...new Set(exported)].filter(isTool);
  if (tools.length === 0) throw new Error("it exports no tool; export what defineTool returns");
  // Once more, for names and for what was put together by hand.
  return tools.map((tool) => defineTool(tool));
};

const EFFECTS: ReadonlySet<unknown> = new Set(["read", "write", "execute", "network"]);

const isTool = (value: unknown): value is AnyTool => {
  if (value === null || typeof value !== "object") return false;
  const { name, description, input, effect, execute } = value as Partial<Record<keyof AnyTool, unknown>>;
  return (
    typeof name === "string" &&
    typeof description === "string" &&
    typeof execute === "function" &&
    EFFECTS.has(effect) &&
    input !== null &&
    typeof input === "object" &&
    "safeParse" in input &&
    typeof input.safeParse === "function"
  );
};

const withinTime = async <T>(work: Promise<T>): Promise<T> => {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("it was not done loading after ten seconds")), IMPORT_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
};

const invalid = (file: string, thrown: unknown): RetinueError =>
  new RetinueError("user_tool_invalid", `${file}: ${toReason(thrown)}.`, { cause: thrown });

/** With the line, where there is one: a syntax error carries it only in its stack. */
const toReason = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown);
  const line = /\?retinue-tools=[0-9a-f]+:(?<line>\d+)/.exec(thrown.stack ?? "")?.groups?.["line"];
  const message = thrown.message.replace(/\?retinue-tools=[0-9a-f]+/g, "").trim();
  return line === undefined ? message : `line ${line}: ${message}`;
};
