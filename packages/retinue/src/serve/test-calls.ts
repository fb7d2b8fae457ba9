/** Calls of the server about test runs: the results that stand in files beside the workspace. */
import { RetinueError } from "@retinue/protocol";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { BackendGround, SomeCalls } from "./backend-ground.ts";

type TestCall = "listTests" | "getTestRun";

/** Each run is a folder with a `results.json`. */
const FOLDER = path.join(".retinue", "test-runs");
const MOST_LISTED = 200;
const NAME = /^[\w][\w.-]{0,100}$/;

type Results = Readonly<Record<string, unknown>>;

const readResults = async (folder: string, name: string): Promise<Results | undefined> => {
  try {
    const read: unknown = JSON.parse(await readFile(path.join(folder, FOLDER, name, "results.json"), "utf8"));
    return typeof read === "object" && read !== null ? (read as Results) : undefined;
  } catch {
    return undefined;
  }
};

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

export const createTestCalls = ({ workspaces }: BackendGround): SomeCalls<TestCall> => ({
  listTests: async ({ params: { workspaceId } }) => {
    const { folder } = workspaces.of(workspaceId).workspace;
    const names = (await readdir(path.join(folder, FOLDER)).catch(() => [])).filter((name) => NAME.test(name));
    const runs = [];
    for (const testRunId of names.toSorted().toReversed().slice(0, MOST_LISTED)) {
      const results = await readResults(folder, testRunId);
      if (!results) continue;
      const { cases: _, startedAt, passed, failed, ...rest } = results;
      runs.push({
        ...rest,
        testRunId,
        startedAt: typeof startedAt === "string" ? startedAt : null,
        passed: numberOf(passed),
        failed: numberOf(failed),
      });
    }
    return { runs };
  },
  getTestRun: async ({ params: { workspaceId, testRunId } }) => {
    const { folder } = workspaces.of(workspaceId).workspace;
    const results = NAME.test(testRunId) ? await readResults(folder, testRunId) : undefined;
    if (!results) throw new RetinueError("test_run_unknown", `There is no test run ${testRunId} in ${folder}.`);
    const { cases } = results;
    return { ...results, testRunId, cases: Array.isArray(cases) ? (cases as never[]) : [] };
  },
});
