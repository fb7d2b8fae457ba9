/** Inputs from other processes, for stores that several processes share. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { EventLog } from "../contract.ts";
import type { ReadSide } from "../read-side.ts";
import { toQuestion } from "./input-contract.ts";
import { createRunDrafts } from "./session-drafts.ts";

export type SharedStore = {
  readonly log: EventLog & { readonly readSide: ReadSide };
  /** How another process finds it: a path, or an address and a schema. */
  readonly where: readonly [where: string, schema: string];
};

const SPEAKER = new URL("processes/speaker.ts", import.meta.url).pathname;
const QUESTIONS = 40;

/** Resolves when there is something that was not there before; watches, and never asks in between. */
const untilTold = async (log: EventLog, isThere: () => Promise<boolean>): Promise<void> => {
  for (;;) {
    const woken = Promise.withResolvers<void>();
    const stop = log.watch("ses_a", woken.resolve);
    try {
      if (await isThere()) return;
      await woken.promise;
    } finally {
      stop();
    }
  }
};

export const describeSpeaking = (name: string, create: () => SharedStore | Promise<SharedStore>): void => {
  describe(`inputs from other processes to ${name}`, () => {
    it("wake the driver, answer each question once, and stand in nobody's way", { timeout: 60_000 }, async () => {
      const { log, where } = await create();
      const run = createRunDrafts({ at: () => new Date().toISOString() });
      await log.append([run.requested()]);
      const lease = await log.lease("run_a");
      await log.append([run.started(1)], lease);
      await log.append(
        Array.from({ length: QUESTIONS }, (_, at) => toQuestion(run, String(at))),
        lease,
      );

      const speak = async (speaker: string): Promise<readonly string[]> => {
        const args = ["--disable-warning=ExperimentalWarning", SPEAKER, ...where, String(QUESTIONS), speaker];
        return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as string[];
      };
      const speakers = Promise.all([speak("ann"), speak("bob")]);
      await untilTold(log, async () => (await log.inputs("run_a")).length === 2);
      await log.append([run.draft({ type: "message.received", from: "human", content: [{ type: "text", text: "go" }] })]);
      const answered = untilTold(log, async () => (await log.approvals()).length === 0);
      for (let step = 1; step <= 100; step += 1) await log.append([run.asked(step), run.answered(step, "x")], lease);
      await answered;

      const codes = await speakers;
      for (let at = 0; at < QUESTIONS; at += 1)
        expect(new Set(codes.map((of) => of[at]))).toEqual(new Set(["approval_answered", "recorded"]));
      const events = await log.read("ses_a");
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 2 + QUESTIONS * 2 + 3 + 200 }, (_, at) => at + 1));
      expect(events.flatMap((event) => (event.type === "model.answered" ? [event.step] : []))).toEqual(
        Array.from({ length: 100 }, (_, at) => at + 1),
      );
      expect((await log.readSide.verify()).damage).toEqual([]);
      await log.close();
    });
  });
};
