/** What came of calls of `retinue test`, kept in the user's own folder, so that it can be reported again and passed cases be done again. */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import { suiteResultSchema } from "@retinue/protocol/test-case";

export type TestResults = {
  readonly keep: (result: SuiteResult) => Promise<void>;
  /** By id, the beginning of one, or `latest`. Throws `usage` where there is none. */
  readonly find: (id: string) => Promise<SuiteResult>;
  /** The latest first, at most so many; files that hold no results are left out. */
  readonly list: (most: number) => Promise<readonly SuiteResult[]>;
  /** The latest pass of a case, as it is done again. One that was healed counts only where that was saved. */
  readonly latestPass: (caseId: string) => Promise<CaseResult | null>;
};

export const createTestResults = (home: string, workspace: string): TestResults => {
  const folder = path.join(home, "tests", createHash("sha256").update(workspace).digest("hex").slice(0, 16));
  const names = async (): Promise<readonly string[]> =>
    (await readdir(folder).catch(() => [])).filter((name) => /^test_\w+\.json$/.test(name)).toSorted();
  const read = async (name: string): Promise<SuiteResult | null> => {
    try {
      return suiteResultSchema.safeParse(JSON.parse(await readFile(path.join(folder, name), "utf8"))).data ?? null;
    } catch {
      return null;
    }
  };
  return {
    keep: async (result) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(path.join(folder, `${result.id}.json`), `${JSON.stringify(result)}\n`, { mode: 0o600 });
    },
    find: async (id) => {
      const all = await names();
      const name = id === "latest" ? all.at(-1) : all.find((one) => one === `${id}.json` || one.startsWith(id));
      const result = name === undefined ? null : await read(name);
      if (!result)
        throw new RetinueError("usage", `There is no call of retinue test "${id}" in this workspace.`, {
          hint: all.length === 0 ? "None was made yet." : `The latest is ${all.at(-1)?.replace(".json", "") ?? ""}.`,
        });
      return result;
    },
    list: async (most) => {
      const latest = (await names()).toReversed().slice(0, most);
      return (await Promise.all(latest.map(read))).filter((result) => result !== null);
    },
    latestPass: async (caseId) => {
      for (const name of (await names()).toReversed()) {
        const found = (await read(name))?.cases.find(
          (one) =>
            one.id === caseId && one.verdict === "pass" && one.sessionId !== null && (!one.healed || one.healing?.saved === true),
        );
        if (found) return found;
      }
      return null;
    },
  };
};
