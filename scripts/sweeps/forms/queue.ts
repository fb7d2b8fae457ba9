/** Kills a worker that drives a session with queued turns at every one of its writes and effects; two others at once do the rest. SQLite and PostgreSQL. */
import path from "node:path";
import { startPostgres } from "@retinue/store/testing/postgres";
import { pickEvenly } from "../pick-evenly.ts";
import type { QueueOrder } from "../queue/queue-names.ts";
import { runQueueTrial } from "../queue/run-queue-trial.ts";
import { bundleProgram } from "../sweep-ground.ts";
import type { Form, FormOptions, Outcome } from "./form.ts";

const WORKER = path.join(import.meta.dirname, "../queue/queue-worker.ts");

type Where = { readonly title: string; readonly most: number; readonly postgres?: () => NonNullable<QueueOrder["postgres"]> };

export const QUEUE: Form = {
  name: "queue",
  about: "a worker that begins queued turns is killed at its writes and effects, and two others at once do the rest",
  run: async function* (options) {
    const { place } = await options.ground();
    const program = await bundleProgram(WORKER, path.join(place, "queue-worker"));
    const sweep = (where: Where): Promise<Outcome> => sweepPoints(options, { program, place }, where);
    yield await sweep({ title: "queued turns", most: options.full ? Infinity : 6 });
    if (options.signal.aborted) return;
    const server = await startPostgres();
    let databases = 0;
    try {
      const postgres = () => ({ url: server.url, schema: `queue_${(databases += 1)}` });
      yield await sweep({ title: "queued turns on PostgreSQL", most: options.full ? 40 : 3, postgres });
    } finally {
      await server.stop();
    }
  },
};

const sweepPoints = async (
  { signal, progress }: FormOptions,
  ground: { readonly program: string; readonly place: string },
  { title, most, postgres }: Where,
): Promise<Outcome> => {
  const trial = (killAt?: number): ReturnType<typeof runQueueTrial> =>
    runQueueTrial({
      ...ground,
      signal,
      ...(postgres === undefined ? {} : { postgres: postgres() }),
      ...(killAt === undefined ? {} : { killAt }),
    });
  const undisturbed = await trial();
  const points = Array.from({ length: undisturbed.points }, (_, at) => at + 1);
  const findings = undisturbed.findings.map((finding) => `undisturbed: ${finding}`);
  let tries = 0;
  for (const killAt of pickEvenly(points, most)) {
    if (signal.aborted) break;
    tries += 1;
    progress(`${title}: point ${killAt} of ${points.length}`);
    const found = await trial(killAt).then(
      (result) => result.findings,
      (thrown: unknown) => (signal.aborted ? [] : [thrown instanceof Error ? thrown.message : String(thrown)]),
    );
    findings.push(...found.map((finding) => `killed at point ${killAt}: ${finding}`));
  }
  return { title, figures: `killed at ${tries} of ${points.length} points`, findings };
};
