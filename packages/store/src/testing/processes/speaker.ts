/**
 * A process that speaks to runs that another process drives. Told on the command line: where the store is (a path, or the
 * address of a PostgreSQL database and a schema), and how many questions there are. It says hello to `run_a`, waits until `run_a` is
 * told "go", answers every question at once, and says as one line of JSON what came of each answer.
 */
import type { InputBody } from "@retinue/protocol";
import { createPostgresLog } from "../../postgres/postgres-log.ts";
import { createSqliteLog } from "../../sqlite/sqlite-log.ts";
import { codeOf } from "../code-of.ts";
import { createRunDrafts } from "../session-drafts.ts";

const [where = "", schema = "", questions = "", name = ""] = process.argv.slice(2);
const log = where.startsWith("postgres:")
  ? await createPostgresLog({ url: where, schema, maxConnections: 2 })
  : createSqliteLog({ path: where });
const run = createRunDrafts({ at: () => new Date().toISOString() });
const say = (text: string): InputBody => ({ type: "message.received", from: "human", content: [{ type: "text", text }] });

const isGo = async (): Promise<boolean> =>
  (await log.inputs("run_a")).some(
    (input) => input.type === "message.received" && JSON.stringify(input.content).includes('"go"'),
  );
await log.append([run.draft(say(`hello of ${name}`))]);
// What is watched does not keep a process; this does.
const awake = setInterval(() => {}, 1000);
for (;;) {
  const woken = Promise.withResolvers<void>();
  const stop = log.watch("ses_a", woken.resolve);
  if (!(await isGo())) await woken.promise;
  else {
    stop();
    break;
  }
  stop();
}
clearInterval(awake);
const codes = await Promise.all(
  Array.from({ length: Number(questions) }, async (_, at) =>
    codeOf(() =>
      log.append([run.draft({ type: "approval.answered", approvalId: `apr_${at}`, allowed: true, scope: "once", reason: name })]),
    ),
  ),
);
await log.close();
process.stdout.write(`${JSON.stringify(codes.map((code) => code ?? "recorded"))}\n`);
