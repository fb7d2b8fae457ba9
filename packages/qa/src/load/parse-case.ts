/** One file of a test case: a case for each of its data rows, with variables filled in. Whatever is wrong is told with its line. */
import type { Suite, TestCase } from "@retinue/protocol/test-case";
import { testCaseSchema } from "@retinue/protocol/test-case";
import { z } from "zod";
import type { Variables } from "./fill-variables.ts";
import { fillVariables } from "./fill-variables.ts";
import { toFaults } from "./schema-problems.ts";
import type { Problem } from "./yaml-lines.ts";
import { parseYamlLines } from "./yaml-lines.ts";

/** A case that can be run. */
export type LoadedCase = {
  /** The file, and the number of the data row where there are several. */
  readonly id: string;
  readonly file: string;
  readonly testCase: TestCase;
  readonly suite: Suite;
  readonly suiteFile: string | null;
  readonly variables: Variables;
};

export type CaseSource = {
  readonly text: string;
  /** As people name it. */
  readonly file: string;
  readonly suite: Suite;
  readonly suiteFile: string | null;
  /** Of the environment and the base address. */
  readonly given: Variables;
  /** How many steps a case may have; any number by default. */
  readonly maxSteps?: number | undefined;
};

export type ParsedCases = { readonly cases: readonly LoadedCase[]; readonly problems: readonly Problem[] };

const scalars = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const rowsSchema = z.object({ variables: scalars.optional(), data: z.array(scalars).min(1).optional() });

const SECRET = /\{\{(?:secret|totp):([^}]*)\}\}/g;

export const parseCase = ({ text, file, suite, suiteFile, given, maxSteps = Infinity }: CaseSource): ParsedCases => {
  const parsed = parseYamlLines(text, file);
  if (!("lineOf" in parsed)) return { cases: [], problems: parsed };
  const { lineOf } = parsed;
  const fail = (faults: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): ParsedCases => ({
    cases: [],
    problems: faults.map(({ path, message }) => ({ file, line: lineOf(path), message })),
  });
  const head = rowsSchema.safeParse(parsed.value ?? {});
  if (!head.success) return fail(toFaults(head.error));
  const { variables = {}, data } = head.data;
  const { variables: _, data: __, ...body } = parsed.value as Readonly<Record<string, unknown>>;
  const cases: LoadedCase[] = [];
  for (const [index, row] of (data ?? [{}]).entries()) {
    const filling: Variables = { ...suite.variables, ...given, ...variables, ...row };
    const filled = fillVariables(body, filling);
    if (filled.unfilled.length > 0)
      return fail(filled.unfilled.map(({ path, name }) => ({ path, message: `there is no variable "${name}"` })));
    const checked = testCaseSchema.safeParse({ ...(filled.value as object), ...(data ? { data } : {}), variables: filling });
    if (!checked.success) return fail(toFaults(checked.error));
    const { length } = checked.data.steps;
    if (length > maxSteps)
      return fail([
        {
          path: ["steps", maxSteps],
          message: `the case has ${length} steps, and ${maxSteps} is the most (setting plan.maxSteps)`,
        },
      ]);
    const unknown = findUnknownSecrets(filled.value, new Set([...(suite.secrets ?? []), ...(checked.data.secrets ?? [])]));
    if (unknown.length > 0) return fail(unknown);
    const isOneOfSeveral = data !== undefined && data.length > 1;
    const title =
      isOneOfSeveral && !isNamedByRow(body["title"]) ? `${checked.data.title} [${toRowName(row)}]` : checked.data.title;
    cases.push({
      id: isOneOfSeveral ? `${file}#${index + 1}` : file,
      file,
      suite,
      suiteFile,
      variables: filling,
      testCase: { ...checked.data, title },
    });
  }
  return { cases, problems: [] };
};

const isNamedByRow = (title: unknown): boolean => typeof title === "string" && title.includes("${");

const toRowName = (row: Variables): string =>
  Object.entries(row)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(", ")
    .slice(0, 80);

/** Only what is named in `secrets` may be referred to, so that a case says at its top what it needs. */
const findUnknownSecrets = (
  value: unknown,
  known: ReadonlySet<string>,
  path: readonly PropertyKey[] = [],
): readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] => {
  if (typeof value === "string")
    return [...value.matchAll(SECRET)].flatMap(([, name = ""]) =>
      known.has(name) ? [] : [{ path, message: `the secret "${name}" is not named in "secrets"` }],
    );
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => findUnknownSecrets(one, known, [...path, key]));
};
