/**
 * A check: something about a page, a command or the traffic that the runner itself can tell to hold or not, without a model. What a check found is
 * recorded with what was seen in its place, so that whoever reads a verdict can see why.
 */
import { z } from "zod";
import { targetSchema } from "./target.ts";

/** Regular expressions of test cases are JavaScript's, with the flag `u`. */
const pattern = z.string().refine(
  (text) => {
    try {
      return new RegExp(text, "u") instanceof RegExp;
    } catch {
      return false;
    }
  },
  { message: "it is no regular expression" },
);

/** Text is compared with white space collapsed, and trimmed. All that are given must hold. */
const matcherFields = {
  equals: z.string().exactOptional().describe("The whole text."),
  contains: z.string().min(1).exactOptional().describe("A part of the text."),
  matches: pattern.exactOptional().describe("A regular expression that is found in the text."),
  excludes: z.string().min(1).exactOptional().describe("What the text may not contain."),
} as const;

export const matcherSchema = z
  .union([
    z.string().transform((equals): Matcher => ({ equals })),
    z.strictObject(matcherFields).refine((matcher) => Object.values(matcher).some((value) => value !== undefined), {
      message: "it needs one of equals, contains, matches, excludes",
    }),
  ])
  .meta({ title: "Matcher", description: "What a text must be: the text itself, or equals, contains, matches, excludes." });

export type Matcher = {
  readonly equals?: string;
  readonly contains?: string;
  readonly matches?: string;
  readonly excludes?: string;
};

/** Of every check of a page: how long it may take to come true, and whether it is enough that it was true for a moment. */
const pageFields = {
  withinMs: z.int().positive().max(120_000).exactOptional().describe("How long it may take to come true; 5000 by default."),
} as const;

const during = z
  .boolean()
  .exactOptional()
  .describe("Whether it is enough that it was so at some time since the step began, as with a message that goes away again.");

const needsMatcher = {
  message: "it needs one of equals, contains, matches, excludes",
  path: [] as PropertyKey[],
};
const hasMatcher = (check: Matcher): boolean =>
  [check.equals, check.contains, check.matches, check.excludes].some((value) => value !== undefined);

const textCheck = z.strictObject({
  check: z.literal("text"),
  in: targetSchema
    .exactOptional()
    .describe("The element whose text is meant; without it the whole page, which is weak evidence."),
  ...matcherFields,
  during,
  ...pageFields,
});

const valueCheck = z.strictObject({
  check: z.literal("value"),
  of: targetSchema.describe("The field."),
  ...matcherFields,
  ...pageFields,
});

const countCheck = z.strictObject({
  check: z.literal("count"),
  of: targetSchema.describe("The elements that are counted; those that are shown."),
  is: z.int().nonnegative().exactOptional(),
  atLeast: z.int().nonnegative().exactOptional(),
  atMost: z.int().nonnegative().exactOptional(),
  ...pageFields,
});

const visibleCheck = z.strictObject({ check: z.literal("visible"), element: targetSchema, during, ...pageFields });
const absentCheck = z.strictObject({
  check: z.literal("absent"),
  element: targetSchema.describe("No such element is shown."),
  ...pageFields,
});

export const ELEMENT_STATES = [
  "checked",
  "unchecked",
  "enabled",
  "disabled",
  "focused",
  "selected",
  "expanded",
  "collapsed",
] as const;

const stateCheck = z.strictObject({
  check: z.literal("state"),
  of: targetSchema,
  is: z.enum(ELEMENT_STATES),
  ...pageFields,
});

const urlCheck = z.strictObject({ check: z.literal("url"), ...matcherFields, ...pageFields });
const titleCheck = z.strictObject({ check: z.literal("title"), ...matcherFields, ...pageFields });

const downloadCheck = z.strictObject({
  check: z.literal("download"),
  name: matcherSchema.exactOptional().describe("Of the file that was offered since the step began."),
  content: matcherSchema.exactOptional().describe("Of the file, as UTF-8."),
  minBytes: z.int().nonnegative().exactOptional(),
  ...pageFields,
});

const requestCheck = z.strictObject({
  check: z.literal("request"),
  url: matcherSchema.describe("Of a request that the page has made since the step began."),
  method: z.string().min(1).exactOptional().describe("GET, POST …"),
  status: z
    .union([z.int().min(100).max(599), z.array(z.int().min(100).max(599)).min(1)])
    .exactOptional()
    .describe("Of its answer."),
  body: matcherSchema.exactOptional().describe("Of what was sent."),
  response: matcherSchema.exactOptional().describe("Of what came back."),
  count: z.int().nonnegative().exactOptional().describe("How many such requests; at least one by default."),
  ...pageFields,
});

const consoleCheck = z.strictObject({
  check: z.literal("console"),
  errors: z
    .int()
    .nonnegative()
    .exactOptional()
    .describe("How many errors the console may have got since the step began; 0 by default."),
  matching: matcherSchema.exactOptional().describe("Only errors like this are counted."),
  ...pageFields,
});

const commandCheck = z.strictObject({
  check: z.literal("command"),
  run: z.string().min(1).describe("A command line of the shell, in the workspace."),
  exit: z.int().min(0).max(255).exactOptional().describe("Its exit code; 0 by default."),
  output: matcherSchema.exactOptional().describe("What it wrote, to both of its outputs."),
  timeoutMs: z.int().positive().max(600_000).exactOptional(),
});

export const checkSchema = z
  .discriminatedUnion("check", [
    textCheck.refine(hasMatcher, needsMatcher),
    valueCheck.refine(hasMatcher, needsMatcher),
    countCheck.refine(({ is, atLeast, atMost }) => is !== undefined || atLeast !== undefined || atMost !== undefined, {
      message: "it needs one of is, atLeast, atMost",
    }),
    visibleCheck,
    absentCheck,
    stateCheck,
    urlCheck.refine(hasMatcher, needsMatcher),
    titleCheck.refine(hasMatcher, needsMatcher),
    downloadCheck,
    requestCheck,
    consoleCheck,
    commandCheck,
  ])
  .meta({ title: "Check", description: "What the runner itself can tell to hold or not." });

export type Check = z.output<typeof checkSchema>;
export type CheckOf<Kind extends Check["check"]> = Extract<Check, { check: Kind }>;
/** A check that needs a page. The others need none. */
export type PageCheck = Exclude<Check, { check: "command" }>;

/**
 * held and failed are what was seen. unknown: it could not be seen, such as where no page is open; that is no fault of what is under test.
 */
export const checkResultSchema = z
  .object({
    status: z.enum(["held", "failed", "unknown"]),
    expected: z.string().describe("What the check wants, in words."),
    observed: z.string().describe("What was seen in its place: the text, the count, the address, the line of the snapshot."),
    scoped: z.boolean().describe("Whether it looked at one element, or at the whole page."),
    evidence: z.string().exactOptional().describe("The lines around it, or an excerpt of an output."),
  })
  .meta({ title: "CheckResult", description: "What a check found." });

export type CheckResult = z.infer<typeof checkResultSchema>;

/** What a call of a check gave out; null where the text is no such thing. */
export const readCheckResult = (text: string): CheckResult | null => {
  if (!text.startsWith("{")) return null;
  try {
    return checkResultSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
};

/** Whether a text is what a matcher wants. White space is collapsed on both sides, but for regular expressions, which see the text trimmed. */
export const isMatch = (text: string, { equals, contains, matches, excludes }: Matcher): boolean => {
  const seen = collapse(text);
  return (
    (equals === undefined || seen === collapse(equals)) &&
    (contains === undefined || seen.includes(collapse(contains))) &&
    (matches === undefined || new RegExp(matches, "u").test(text.trim())) &&
    (excludes === undefined || !seen.includes(collapse(excludes)))
  );
};

const collapse = (text: string): string => text.replaceAll(/\s+/gu, " ").trim();
