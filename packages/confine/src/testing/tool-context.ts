/** A workspace in a temporary folder and the context of a call in it, for tests of tools. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ArtifactId, RunId, RunIdentity } from "@retinue/protocol";
import type { ToolContext, ToolOutput } from "@retinue/runtime";

export type TestWorkspace = {
  /** Absolute and real; everything in the folder above it is removed with it. */
  readonly workspace: string;
  readonly context: ToolContext;
  /** What the call showed while it worked. */
  readonly shown: string[];
  readonly artifacts: Map<ArtifactId, string>;
  readonly binaries: Map<ArtifactId, Uint8Array>;
  readonly stop: (reason?: unknown) => void;
  readonly at: (file: string) => string;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** A run for the context of a call; two of them are two runs, also by the same name. */
export const createTestRun = (runId: RunId): RunIdentity => ({
  sessionId: "ses_test",
  runId,
  parentRunId: null,
  depth: 0,
  agent: "tester",
});

/** `files` are relative to the workspace. */
export const createTestWorkspace = async (files: Readonly<Record<string, string | Buffer>> = {}): Promise<TestWorkspace> => {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-test-")));
  const workspace = path.join(base, "workspace");
  await mkdir(workspace);
  const at = (file: string): string => path.join(workspace, file);
  for (const [file, content] of Object.entries(files)) {
    await mkdir(path.dirname(at(file)), { recursive: true });
    await writeFile(at(file), content);
  }
  const artifacts = new Map<ArtifactId, string>();
  const binaries = new Map<ArtifactId, Uint8Array>();
  const shown: string[] = [];
  const stopping = new AbortController();
  const context: ToolContext = {
    callId: "call_test",
    run: createTestRun("run_test"),
    workspace,
    scope: { writes: [], hosts: [], approve: "all" },
    signal: stopping.signal,
    timeLeftMs: () => Infinity,
    progress: (text) => void shown.push(text),
    artifacts: {
      write: async (data, mediaType) => {
        const artifactId: ArtifactId = `art_${artifacts.size + binaries.size + 1}`;
        if (typeof data !== "string") {
          binaries.set(artifactId, data);
          return { artifactId, chars: 0, lines: 0, bytes: data.byteLength, ...(mediaType === undefined ? {} : { mediaType }) };
        }
        artifacts.set(artifactId, data);
        return { artifactId, chars: data.length, lines: countLines(data) };
      },
      read: async (artifactId) => artifacts.get(artifactId),
    },
  };
  return {
    workspace,
    context,
    shown,
    artifacts,
    binaries,
    stop: (reason) => stopping.abort(reason),
    at,
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
};

/** The text of what a tool gave. */
export const toText = (output: ToolOutput): string =>
  typeof output === "string"
    ? output
    : output.content.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");

const countLines = (text: string): number => {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
};
