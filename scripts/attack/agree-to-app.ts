/** The user agrees to the application of a test suite as it is; what runs later without a question must be the same. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createAppAgreements } from "../../packages/retinue/src/qa/app-agreement.ts";
import type { Finding } from "./finding.ts";
import { APP_COMMANDS, SWAPPED_APP } from "./grammar/suites.ts";
import type { World } from "./world.ts";

const run = promisify(execFile);

const RUN_MS = 10_000;

/** Given back is what starts, after the attack, each application that counts as agreed to. */
export const agreeToApp = async ({ state, workspace, env }: World): Promise<() => Promise<readonly Finding[]>> => {
  const agreements = createAppAgreements(state, workspace);
  const started = APP_COMMANDS.map((command, at) => ({ command, url: `http://127.0.0.1:${4000 + at}/` }));
  for (const each of started) await agreements.agree(each);
  return async () => {
    const findings: Finding[] = [];
    for (const each of started) {
      if (!(await agreements.isAgreed(each))) continue;
      const { stdout } = await run("sh", ["-c", each.command], { cwd: workspace, env, timeout: RUN_MS }).catch(() => ({
        stdout: "",
      }));
      if (stdout.includes(SWAPPED_APP))
        findings.push({ kind: "swapped", what: `${each.command} ran ${SWAPPED_APP} than was agreed to` });
    }
    return findings;
  };
};
