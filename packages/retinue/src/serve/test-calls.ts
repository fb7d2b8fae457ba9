/** Calls of the server about test runs: what `retinue test` keeps of each of its calls in the user's own folder. */
import { RetinueError } from "@retinue/protocol";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { BackendGround, SomeCalls } from "./backend-ground.ts";
import type { Served } from "./served-workspaces.ts";

type TestCall = "listTests" | "getTestRun";

const MOST_LISTED = 200;
const NAME = /^test_\w{1,100}$/;

type Results = Readonly<Record<string, unknown>> & { readonly cases: readonly unknown[] };

const folderOf = ({ workspace, loaded: { home } }: Served): string =>
  path.join(home, "tests", createHash("sha256").update(workspace.folder).digest("hex").slice(0, 16));

const readResults = async (folder: string, name: string): Promise<Results | undefined> => {
  try {
    const read = JSON.parse(await readFile(path.join(folder, `${name}.json`), "utf8")) as Partial<Results> | null;
    return Array.isArray(read?.cases) ? { ...read, cases: read.cases } : undefined;
  } catch {
    return undefined;
  }
};

const countVerdict = (cases: readonly unknown[], isIt: (verdict: unknown) => boolean): number =>
  cases.filter((one) => isIt((one as { readonly verdict?: unknown } | null)?.verdict)).length;

export const createTestCalls = ({ workspaces }: BackendGround): SomeCalls<TestCall> => ({
  listTests: async ({ params: { workspaceId } }) => {
    const folder = folderOf(workspaces.of(workspaceId));
    const names = (await readdir(folder).catch(() => []))
      .map((name) => path.basename(name, ".json"))
      .filter((name) => NAME.test(name));
    const runs = [];
    for (const testRunId of names.toSorted().toReversed().slice(0, MOST_LISTED)) {
      const results = await readResults(folder, testRunId);
      if (!results) continue;
      const { cases, startedAt, ...rest } = results;
      runs.push({
        ...rest,
        testRunId,
        startedAt: typeof startedAt === "string" ? startedAt : null,
        passed: countVerdict(cases, (verdict) => verdict === "pass"),
        failed: countVerdict(cases, (verdict) => verdict !== "pass"),
      });
    }
    return { runs };
  },
  getTestRun: async ({ params: { workspaceId, testRunId } }) => {
    const results = NAME.test(testRunId) ? await readResults(folderOf(workspaces.of(workspaceId)), testRunId) : undefined;
    if (!results) throw new RetinueError("test_run_unknown", `There is no test run ${testRunId} of this workspace.`);
    // It was JSON.
    return { ...results, testRunId, cases: [...results.cases] as never[] };
  },
});
