/** What becomes of test cases. Only `pass` is a pass. */
import { z } from "zod";
import { runIdSchema, sessionIdSchema } from "../schemas/ids.ts";
import { costSchema, usageSchema } from "../schemas/usage.ts";
import { checkResultSchema } from "./check.ts";

/**
 * fail: what is under test does not do what is expected. blocked: it could not be tested, because a precondition or the environment was not
 * there. inconclusive: it was tested, and could not be verified.
 */
export const VERDICTS = ["pass", "fail", "blocked", "inconclusive"] as const;
export const verdictSchema = z.enum(VERDICTS);
export type Verdict = (typeof VERDICTS)[number];

/** Where in the record something was seen. */
export const evidenceSchema = z
  .object({
    kind: z.enum(["check", "snapshot", "screenshot", "vision", "command", "text", "output"]),
    runId: runIdSchema,
    callId: z.string(),
    tool: z.string(),
    quote: z.string().describe("What was recorded; of long text the part around the expected words, or its beginning and end."),
    weak: z.boolean().describe("Whether it is text of a whole page, which says little."),
    artifact: z.string().exactOptional().describe("The digest of a screenshot, or of the whole output."),
  })
  .meta({ title: "Evidence", description: "Something recorded that bears out a verdict." });

export const checkedSchema = z.object({ check: z.string().describe("In words."), result: checkResultSchema });

export const stepResultSchema = z
  .object({
    number: z.int().positive().describe("Of the step in the case."),
    action: z.string(),
    expected: z.string(),
    verdict: verdictSchema.or(z.literal("skipped")),
    reason: z.string(),
    /** What the agent said; null where it said nothing in the form it was given. */
    said: z.enum(["pass", "fail"]).nullable(),
    attempts: z.int().nonnegative(),
    recovered: z.boolean(),
    checks: z.array(checkedSchema),
    evidence: z.array(evidenceSchema),
    screenshots: z.array(z.string()).describe("Digests of artifacts, in order."),
    healed: z.array(z.string()).describe("Elements that were found in another way than recorded."),
    runs: z.array(runIdSchema),
    durationMs: z.number().nonnegative(),
  })
  .meta({ title: "StepResult", description: "What became of a step of a case." });

export const recordingSchema = z
  .object({
    kind: z.enum(["trace", "video"]),
    file: z.string().describe("Where it is kept: a trace for Playwright's viewer, or an animated PNG. Both are without secrets."),
    bytes: z.int().nonnegative(),
    attempt: z.int().positive(),
  })
  .meta({ title: "Recording", description: "What the browser of a case recorded on request." });

export const caseResultSchema = z
  .object({
    id: z.string().describe("The file, and the number of its data row."),
    title: z.string(),
    file: z.string(),
    tags: z.array(z.string()),
    verdict: verdictSchema,
    reason: z.string(),
    flaky: z.boolean().describe("Passed, but not at the first attempt."),
    healed: z.boolean(),
    healing: z
      .object({
        saved: z.boolean().describe("Whether --rerun does it in the new way from now on."),
        diff: z.array(z.string()).describe("What was done otherwise than recorded, - before and + now."),
      })
      .exactOptional(),
    attempt: z.int().positive(),
    sessionId: sessionIdSchema.nullable(),
    steps: z.array(stepResultSchema),
    summary: z.string(),
    durationMs: z.number().nonnegative(),
    iterations: z.int().nonnegative(),
    toolCalls: z.int().nonnegative(),
    usage: usageSchema,
    costUsd: costSchema,
    problems: z.array(z.string()),
    recordings: z.array(recordingSchema).exactOptional().describe("Of all attempts, with --trace and --video."),
  })
  .meta({ title: "CaseResult", description: "What became of a case." });

export const suiteResultSchema = z
  .object({
    id: z.string(),
    startedAt: z.string(),
    durationMs: z.number().nonnegative(),
    model: z.string(),
    environment: z.string().nullable(),
    cases: z.array(caseResultSchema),
  })
  .meta({ title: "SuiteResult", description: "What became of the cases of one call." });

export type Evidence = z.infer<typeof evidenceSchema>;
export type Checked = z.infer<typeof checkedSchema>;
export type Recording = z.infer<typeof recordingSchema>;
export type StepResult = z.infer<typeof stepResultSchema>;
export type CaseResult = z.infer<typeof caseResultSchema>;
export type SuiteResult = z.infer<typeof suiteResultSchema>;
