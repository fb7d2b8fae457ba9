/** Routes of test cases: which there are, running them, what became of earlier runs. */
import { z } from "zod";
import { APPROVE_MODES } from "../grant.ts";
import { sessionIdSchema } from "../schemas/ids.ts";
import { suiteResultSchema, verdictSchema } from "../test-case/results.ts";
import { doneSchema, testRunParams, workspaceParams } from "./fields.ts";
import { defineRoute } from "./route.ts";

const MOST_CASES = 1_000;

const pathField = z.string().min(1).max(1_000).optional().describe("A file or folder of the workspace; `tests` by default.");

const stepSchema = z.object({
  number: z.number().int().positive(),
  action: z.string(),
  expected: z.string().describe("In words."),
});

const TEST_RUN_STATES = ["queued", "running", "ended"] as const;

const stateField = z.enum(TEST_RUN_STATES).describe("One test run of a server works at a time; others wait.");

export const testCaseItemSchema = z
  .object({
    id: z.string().describe("The file, and the number of its data row; `startTestRun` takes it."),
    title: z.string(),
    file: z.string().describe("Relative to the workspace."),
    suite: z.string().nullable().describe("The file of the suite that it belongs to."),
    tags: z.array(z.string()),
    steps: z.array(stepSchema),
    app: z
      .object({
        command: z.string().describe("As it would be run, outside of the sandbox."),
        url: z.string(),
        isAgreed: z.boolean().describe("Whether the user has agreed to this command line."),
      })
      .nullable()
      .describe("The application that is started for it."),
    last: z
      .object({
        testRunId: z.string(),
        startedAt: z.string(),
        verdict: verdictSchema,
        flaky: z.boolean(),
      })
      .nullable()
      .describe("What came of it the last time."),
  })
  .meta({ title: "TestCaseItem", description: "A test case that can be run." });

export const pendingCaseSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    file: z.string(),
    tags: z.array(z.string()),
    state: z.enum(["queued", "running"]),
    attempt: z.number().int().nonnegative(),
    sessionId: sessionIdSchema
      .nullable()
      .describe("The session that it is carried out in, once there is one: its feed tells of each step."),
    steps: z.array(stepSchema),
  })
  .meta({ title: "PendingCase", description: "A case of a test run that is not over." });

export const TEST_ROUTES = {
  listTestCases: defineRoute({
    summary: "The test cases of a workspace, and what is wrong with their files.",
    params: workspaceParams,
    query: z.object({ path: pathField }),
    response: z.object({
      cases: z.array(testCaseItemSchema),
      problems: z.array(z.object({ file: z.string(), line: z.number(), message: z.string() })),
    }),
  }),
  startTestRun: defineRoute({
    summary: "Runs test cases as `retinue test` does, with the same rights; waits its turn where another test run is at work.",
    params: workspaceParams,
    body: z.strictObject({
      cases: z.array(z.string().max(1_200)).min(1).max(MOST_CASES).describe("Their ids."),
      path: pathField,
      retries: z
        .number()
        .int()
        .min(0)
        .max(10)
        .optional()
        .describe("How often a case that did not pass is tried again; 0 by default."),
      approve: z.enum(APPROVE_MODES).optional().describe("`all` by default, as of `retinue test`."),
      agreedApps: z
        .array(z.string().max(10_000))
        .max(20)
        .optional()
        .describe("Command lines of applications, to the letter, that the user agrees to have started, from now on."),
    }),
    response: z.object({ testRunId: z.string() }),
    status: 201,
  }),
  cancelTestRun: defineRoute({
    summary: "Stops a test run: what is at work is cancelled, what waits is not begun.",
    params: testRunParams,
    body: z.strictObject({}),
    response: doneSchema,
  }),
  listTests: defineRoute({
    summary: "The test runs of a workspace, the latest first, also those of `retinue test`.",
    params: workspaceParams,
    response: z.object({
      runs: z.array(
        z.object({
          testRunId: z.string(),
          state: stateField,
          startedAt: z.string().nullable(),
          model: z.string().nullable(),
          passed: z.number(),
          failed: z.number().describe("Cases that are over and did not pass."),
          total: z.number(),
          titles: z.array(z.string()).describe("Of its first cases."),
        }),
      ),
    }),
  }),
  getTestRun: defineRoute({
    summary: "One test run, with its cases and their evidence, and those that are not over.",
    params: testRunParams,
    response: suiteResultSchema.omit({ id: true, startedAt: true, model: true }).extend({
      testRunId: z.string(),
      state: stateField,
      startedAt: z.string().nullable(),
      model: z.string().nullable(),
      pending: z.array(pendingCaseSchema),
      problem: z.string().nullable().describe("Why the run as a whole came to nothing."),
    }),
  }),
};
