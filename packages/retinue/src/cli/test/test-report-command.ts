/** `retinue test report`: what came of an earlier call, in any form. */
import { realpath } from "node:fs/promises";
import { createTestResults } from "../../qa/test-results.ts";
import { retinueHome } from "../../settings/retinue-home.ts";
import { withRecord } from "../record/open-for-command.ts";
import { toWorkspace } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { testExitCode } from "./test-exit-code.ts";
import type { TestOptions } from "./test-options.ts";
import { writeReports } from "./write-reports.ts";

export const testReportCommand = async (id: string, options: TestOptions, surroundings: Surroundings): Promise<number> => {
  const folder = await realpath(toWorkspace(options));
  const result = await createTestResults(retinueHome(surroundings.env), folder).find(id);
  const { workspace: _, ...rest } = options;
  await withRecord({ workspace: folder }, surroundings, ({ store }) => writeReports(result, store, rest, surroundings));
  return testExitCode(result, options.strict === true);
};
