/** A test case as its YAML file says it, and the settings of a suite. */
import { z } from "zod";
import { checkSchema } from "./check.ts";

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const nameSchema = z.string().regex(NAME, "a name is letters, digits, dashes and underscores, and begins with a letter");
const scalarSchema = z.union([z.string(), z.number(), z.boolean()]);
const durationSchema = z.int().positive().max(3_600_000);
const waitSchema = z.int().nonnegative().max(60_000);

/** Prose is judged by the agent and needs recorded evidence; a check is evaluated by the runner itself. */
export const expectedSchema = z
  .union([z.string().min(1), checkSchema, z.array(z.union([z.string().min(1), checkSchema])).min(1)])
  .meta({ title: "Expected", description: "What must be so after the step: prose, a check, or a list of them." });

export const caseStepSchema = z
  .strictObject({
    action: z.string().min(1).describe("What is done, as a tester would be told."),
    expected: expectedSchema,
    waitMs: waitSchema.exactOptional().describe("How long its acts wait until their element is there and ready."),
  })
  .meta({ title: "CaseStep", description: "One step of a test case." });

/** What is done around a case: by the shell, or by an agent. */
export const hookSchema = z
  .union([
    z.strictObject({
      command: z.string().min(1).describe("A command line of the shell, in the workspace."),
      timeoutMs: durationSchema.exactOptional(),
    }),
    z.strictObject({ action: z.string().min(1).describe("What an agent does."), expected: expectedSchema.exactOptional() }),
  ])
  .meta({ title: "Hook", description: "What is done before or after a case." });

/** How dialogs of the page are answered. One that the case does not speak of is dismissed, and reported. */
export const dialogSchema = z
  .strictObject({
    message: z.string().min(1).exactOptional().describe("A part of its text; without it any dialog."),
    answer: z.enum(["accept", "dismiss"]),
    text: z.string().exactOptional().describe("What is typed into a prompt."),
  })
  .meta({ title: "DialogAnswer", description: "How a dialog of the page is answered." });

const isKnown = (name: string, find: (name: string) => unknown): boolean => {
  try {
    find(name);
    return true;
  } catch {
    return false;
  }
};

const localeSchema = z
  .string()
  .min(2)
  .refine((name) => isKnown(name, Intl.getCanonicalLocales), {
    error: ({ input }) => `"${String(input)}" is no locale, such as de-DE`,
  });

const timezoneSchema = z
  .string()
  .min(1)
  .refine((timeZone) => isKnown(timeZone, () => new Intl.DateTimeFormat("en", { timeZone })), {
    error: ({ input }) => `"${String(input)}" is no time zone, such as Europe/Berlin`,
  });

/** What the browser of a case looks like. */
export const surroundingsSchema = z
  .strictObject({
    viewport: z.strictObject({ width: z.int().min(100).max(10_000), height: z.int().min(100).max(10_000) }).exactOptional(),
    device: z.string().min(1).exactOptional().describe("The name of a device that Playwright knows, such as iPhone 15."),
    locale: localeSchema.exactOptional().describe("Such as de-DE."),
    timezone: timezoneSchema.exactOptional().describe("Such as Europe/Berlin."),
    clock: z.iso
      .datetime({ offset: true })
      .exactOptional()
      .describe("What time it is at the beginning of the case, in the page."),
    colorScheme: z.enum(["light", "dark"]).exactOptional(),
    waitMs: waitSchema.exactOptional().describe("How long acts wait until their element is there and ready; 10000 by default."),
  })
  .meta({ title: "BrowserSurroundings", description: "What the browser of a case looks like." });

const screenFields = z.strictObject({
  screen: z.literal("xvfb").describe("A screen of the case's own."),
  size: z
    .strictObject({ width: z.int().min(100).max(10_000), height: z.int().min(100).max(10_000) })
    .exactOptional()
    .describe("1280 × 720 by default."),
  programs: z
    .array(z.string().min(1))
    .max(10)
    .exactOptional()
    .describe("Command lines that are started on it, outside of the sandbox, and end with the case."),
});

/** The screen of a case that works on a desktop. */
export const desktopSchema = z
  .union([z.literal("xvfb").transform((screen): Desktop => ({ screen })), screenFields])
  .meta({ title: "Desktop", description: "The screen of a case: xvfb, or what is shown on it." });

export type Desktop = z.output<typeof screenFields>;

export const testCaseSchema = z
  .strictObject({
    title: z.string().min(1).max(200),
    description: z.string().exactOptional(),
    tags: z.array(nameSchema).exactOptional(),
    preconditions: z
      .array(z.union([z.string().min(1), checkSchema]))
      .exactOptional()
      .describe("What must be so before; where it is not, the case is blocked."),
    variables: z.record(nameSchema, scalarSchema).exactOptional().describe("Put in where ${name} stands."),
    secrets: z
      .array(nameSchema)
      .exactOptional()
      .describe("Names of secrets that steps refer to as {{secret:NAME}}; no model, record or report gets their values."),
    data: z
      .array(z.record(nameSchema, scalarSchema))
      .min(1)
      .exactOptional()
      .describe("The case is run once for each row, with its values as variables."),
    role: nameSchema.exactOptional().describe("Begins logged in as this role of the suite."),
    locks: z.array(nameSchema).exactOptional().describe("Cases that name the same lock do not run at the same time."),
    browser: surroundingsSchema.exactOptional(),
    desktop: desktopSchema.exactOptional().describe("Steps work on a screen: screenshot, click, type, key, scroll."),
    dialogs: z.array(dialogSchema).exactOptional(),
    before: z.array(hookSchema).exactOptional().describe("Where one of these fails, the case is blocked."),
    after: z.array(hookSchema).exactOptional().describe("Done whatever became of the case."),
    timeoutMs: durationSchema.exactOptional().describe("Of the whole case."),
    steps: z.array(caseStepSchema).min(1).max(100),
  })
  .meta({ title: "TestCase", description: "A test case of Retinue." });

export const suiteSchema = z
  .strictObject({
    app: z
      .strictObject({
        command: z.string().min(1).describe("Starts the application under test."),
        url: z.url().describe("Answers once it is there."),
        timeoutMs: durationSchema.exactOptional().describe("How long it may take; 30000 by default."),
        reuse: z.boolean().exactOptional().describe("Whether one that is there already is used, instead of being refused."),
      })
      .exactOptional(),
    baseUrl: z
      .union([z.url(), z.record(nameSchema, z.url())])
      .exactOptional()
      .describe("Stands for ${baseUrl}; by environment, where there are several (--env)."),
    variables: z.record(nameSchema, scalarSchema).exactOptional().describe("Of all cases; a case's own take their place."),
    secrets: z.array(nameSchema).exactOptional(),
    inbox: z
      .strictObject({
        mailpit: z.url().describe("The address of a Mailpit, on this machine or on the application's host."),
        pattern: z
          .string()
          .min(1)
          .exactOptional()
          .describe("A regular expression for the code; its first group, where it has one."),
      })
      .exactOptional()
      .describe("Where the codes of {{mail-code:ADDRESS}} are read."),
    reset: z
      .array(hookSchema)
      .exactOptional()
      .describe("Done before every case, such as seeding a database. Where it fails, the case is blocked."),
    locks: z.array(nameSchema).exactOptional(),
    roles: z
      .record(nameSchema, z.strictObject({ steps: z.array(caseStepSchema).min(1).max(20) }))
      .exactOptional()
      .describe("Users that log in once; cases that name one begin with what its browser kept."),
    browser: surroundingsSchema.exactOptional(),
    desktop: desktopSchema.exactOptional(),
    dialogs: z.array(dialogSchema).exactOptional(),
    tags: z.array(nameSchema).exactOptional(),
    timeoutMs: durationSchema.exactOptional(),
  })
  .meta({ title: "Suite", description: "Settings of the test cases in a folder: its suite.yaml." });

export type Expected = z.output<typeof expectedSchema>;
export type CaseStep = z.output<typeof caseStepSchema>;
export type Hook = z.output<typeof hookSchema>;
export type DialogAnswer = z.output<typeof dialogSchema>;
export type BrowserSurroundings = z.output<typeof surroundingsSchema>;
export type TestCase = z.output<typeof testCaseSchema>;
export type Suite = z.output<typeof suiteSchema>;
