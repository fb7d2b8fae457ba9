/** The fields that every event carries, and how the schema of one event is made. */
import { z } from "zod";
import { runIdSchema, sessionIdSchema } from "./ids.ts";

export const envelopeFields = {
  sessionId: sessionIdSchema.describe("The session."),
  runId: runIdSchema.describe("The run that speaks, or is spoken to."),
  parentRunId: runIdSchema.nullable().describe("The run that started it; null at depth 0."),
  depth: z.int().nonnegative().describe("0 is the main agent."),
  agent: z.string().describe("The agent of the run."),
  seq: z.int().nonnegative().describe("Counts the recorded events of the session; a live event has that of the one it follows."),
  at: z.string().describe("Wall-clock time, ISO 8601, for people. Order is by `seq` alone."),
};

/** `when` tells when the event happens. */
export const eventSchema = <const T extends string, Fields extends z.core.$ZodShape>(type: T, when: string, fields: Fields) =>
  z.object({ type: z.literal(type), ...envelopeFields, ...fields }).meta({ title: type, description: when });
