/**
 * A process that appends to a store another process may be writing too. Told on the command line: path, session, the
 * number of its run, steps. Says what came of it as one line of JSON.
 */
import type { SessionId } from "@retinue/protocol";
import { createSqliteLog } from "../../sqlite/sqlite-log.ts";
import { createRunDrafts } from "../session-drafts.ts";

const [path = "", session = "", number = "", steps = ""] = process.argv.slice(2);
const log = createSqliteLog({ path });
const run = createRunDrafts({ sessionId: session as SessionId, runId: `run_${number}` });
let errors: string[] = [];
let appended = 0;
await log.append([run.requested()]);
const lease = await log.lease(run.identity.runId);
for (let step = 1; step <= Number(steps); step += 1) {
  try {
    await log.append([run.asked(step), run.answered(step, `step ${step} of ${number}`)], lease);
    appended += 2;
  } catch (error) {
    errors = [...errors, (error as { code?: string }).code ?? String(error)];
  }
}
await log.append([run.settled()], lease);
await log.close();
process.stdout.write(`${JSON.stringify({ appended, errors })}\n`);
