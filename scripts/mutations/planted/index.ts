/** All planted changes, in the order in which they are tried. */
import type { Mutation } from "../mutation.ts";
import { ALLOWANCE } from "./allowance.ts";
import { FOLD } from "./fold.ts";
import { GATE } from "./gate.ts";
import { LOOP } from "./loop.ts";
import { PACER } from "./pacer.ts";
import { PURSE } from "./purse.ts";
import { REDACTOR_STREAM } from "./redactor-stream.ts";
import { STOPWATCH } from "./stopwatch.ts";
import { TAKE_OVER } from "./take-over.ts";
import { WRITE_QUEUE } from "./write-queue.ts";

export const MUTATIONS: readonly Mutation[] = [
  ...GATE,
  ...PACER,
  ...STOPWATCH,
  ...PURSE,
  ...ALLOWANCE,
  ...REDACTOR_STREAM,
  ...WRITE_QUEUE,
  ...FOLD,
  ...LOOP,
  ...TAKE_OVER,
];
