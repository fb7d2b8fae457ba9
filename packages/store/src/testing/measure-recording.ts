/** What it costs to record: CPU and time of one step of an agent, which is a model's answer, a tool call and two appends. */
import type { EventLog } from "../contract.ts";
import { createRunDrafts } from "./session-drafts.ts";

export type RecordingCost = { readonly steps: number; readonly cpuUsPerStep: number; readonly wallUsPerStep: number };

export type MeasureOptions = {
  readonly log: EventLog;
  readonly steps: number;
  /** Runs that are recorded at the same time, in one session. */
  readonly parallel: number;
  /** Told apart by it when a log is measured more than once. */
  readonly name: string;
};

const SAID = "I will look at the file to find what the function does and then report about it in detail. ".repeat(4);
const READ = "export const value = 1;\nfunction foo() { return bar(baz); }\n".repeat(8);

export const measureRecording = async ({ log, steps, parallel, name }: MeasureOptions): Promise<RecordingCost> => {
  const perRun = Math.ceil(steps / parallel);
  const runs = await Promise.all(
    Array.from({ length: parallel }, async (_, at) => {
      const run = createRunDrafts({ sessionId: `ses_${name}`, runId: `run_${name}_${at}` });
      await log.append([run.requested()]);
      const lease = await log.lease(run.identity.runId);
      await log.append([run.started(lease.epoch), run.asked(0)], lease);
      // Made before, so that only the recording is measured.
      const drafts = Array.from({ length: perRun }, (_step, step) => [
        [
          run.answered(step, [
            { type: "text", text: SAID },
            { type: "tool-call", callId: `c${step}`, tool: "read", arguments: '{"path":"src/a.ts"}' },
          ]),
          run.toolStarted(`c${step}`),
        ],
        [run.toolSettled(`c${step}`, READ), run.asked(step + 1)],
      ]);
      return { drafts, lease };
    }),
  );
  const cpu = process.cpuUsage();
  const begin = performance.now();
  await Promise.all(
    runs.map(async ({ drafts, lease }) => {
      for (const step of drafts) for (const append of step) await log.append(append, lease);
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  const done = perRun * parallel;
  return { steps: done, cpuUsPerStep: (user + system) / done, wallUsPerStep: (1000 * (performance.now() - begin)) / done };
};
