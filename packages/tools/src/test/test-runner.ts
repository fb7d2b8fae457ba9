/**
 * What a test runner is to us: how it is known that a project uses it, how it is started so that it reports for machines, and what its
 * report says. A new runner is one file that makes one of these.
 */
import type { Project } from "./project.ts";

export type TestFailure = {
  /** With the names of the groups that it is in, joined by " > ". */
  readonly name: string;
  /** As the runner gave it, absolute or relative to the project. */
  readonly file?: string;
  readonly line?: number;
  readonly message: string;
};

export type TestReport = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** As many as failed, but for what failed outside any test. */
  readonly failures: readonly TestFailure[];
};

export type TestRequest = {
  readonly project: Project;
  /** A file or folder, absolute and there; undefined for all tests. */
  readonly path: { readonly absolute: string; readonly isFolder: boolean } | undefined;
  /** A part of the names of the tests to run, which does not begin with a dash. */
  readonly filter: string | undefined;
  /** Where a runner that can writes its report. */
  readonly reportFile: string;
};

export type TestCommand = { readonly file: string; readonly args: readonly string[] };

/** What is left of a run to read a report from. */
export type TestEvidence = {
  /** What it wrote to the report file; undefined where it wrote none. */
  readonly report: string | undefined;
  /** Both outputs, the middle left out where they are very long. */
  readonly output: string;
};

export type TestRunner = {
  readonly name: string;
  readonly isUsedBy: (project: Project) => boolean;
  /** Throws `RetinueError("tool_failed", …)` when it cannot be started or cannot do what was asked. */
  readonly toCommand: (request: TestRequest) => Promise<TestCommand>;
  /** Undefined where the evidence does not tell. */
  readonly toReport: (evidence: TestEvidence) => Promise<TestReport | undefined> | TestReport | undefined;
};
