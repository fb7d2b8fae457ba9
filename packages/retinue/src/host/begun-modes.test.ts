import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunOutcome } from "@retinue/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBegunModes } from "./begun-modes.ts";

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "retinue-modes-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const { promise: never } = Promise.withResolvers<RunOutcome>();
const run = { sessionId: "ses_1", runId: "run_1", outcome: never } as const;

test("only the run that was begun with a mode has it", async () => {
  const modes = createBegunModes(home);
  await modes.keep(run, "all");
  expect(await modes.read(run)).toBe("all");
  expect(await createBegunModes(home).read(run)).toBe("all");
  expect(await modes.read({ ...run, runId: "run_2" })).toBeUndefined();
  expect(await modes.read({ ...run, sessionId: "ses_2" })).toBeUndefined();
});

test("modes that allow nothing unasked, and folders that cannot be written, keep nothing", async () => {
  await createBegunModes(home).keep({ ...run, sessionId: "ses_3" }, "ask");
  await createBegunModes("/dev/null/no-folder").keep({ ...run, sessionId: "ses_4" }, "all");
  expect(await readdir(join(home, "begun"))).toEqual(["ses_1.json"]);
});
