/** The test cases below files and folders. A folder's `suite.yaml` holds for what is in it and below, up to the next one. */
import type { Suite } from "@retinue/protocol/test-case";
import { suiteSchema } from "@retinue/protocol/test-case";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { fillVariables } from "./fill-variables.ts";
import type { Variables } from "./fill-variables.ts";
import type { LoadedCase } from "./parse-case.ts";
import { parseCase } from "./parse-case.ts";
import { toFaults } from "./schema-problems.ts";
import type { Problem } from "./yaml-lines.ts";
import { parseYamlLines } from "./yaml-lines.ts";

export type LoadOptions = {
  readonly paths: readonly string[];
  /** What file names are told relative to. */
  readonly from: string;
  /** The name of an environment, for base addresses. */
  readonly environment?: string | undefined;
  /** From the command line; above those of files. */
  readonly variables?: Variables;
  /** How many steps a case may have; any number by default. */
  readonly maxSteps?: number | undefined;
  /** Whether a browser can look like a device of this name; without it any name is taken. */
  readonly isDevice?: (name: string) => Promise<boolean>;
};

export type LoadedCases = { readonly cases: readonly LoadedCase[]; readonly problems: readonly Problem[] };

const IS_CASE = /\.ya?ml$/;
const SUITE = /^suite\.ya?ml$/;
const MOST_FILES = 10_000;

export const loadCases = async (options: LoadOptions): Promise<LoadedCases> => {
  const problems: Problem[] = [];
  const files: string[] = [];
  for (const given of options.paths) await findFiles(path.resolve(options.from, given), files, problems, given);
  const suites = createSuites(options, problems);
  const cases: LoadedCase[] = [];
  for (const file of [...new Set(files)].toSorted()) {
    const name = toName(file, options.from);
    const found = await suites.of(path.dirname(file));
    if (!found) continue;
    const text = await readFile(file, "utf8");
    const parsed = parseCase({
      text,
      file: name,
      suite: found.suite,
      suiteFile: found.file,
      given: { ...found.given, ...options.variables },
      maxSteps: options.maxSteps,
    });
    cases.push(...parsed.cases);
    problems.push(...parsed.problems, ...(await findUnknownDevice(parsed.cases[0]?.testCase, { text, file: name }, options)));
  }
  return { cases, problems };
};

/** The device of a case or a suite, where there is none of this name. */
const findUnknownDevice = async (
  read: Pick<Suite, "browser"> | undefined,
  { text, file }: { readonly text: string; readonly file: string },
  { isDevice }: LoadOptions,
): Promise<readonly Problem[]> => {
  const device = read?.browser?.device;
  if (device === undefined || !isDevice || (await isDevice(device))) return [];
  const lines = parseYamlLines(text, file);
  const line = "lineOf" in lines ? lines.lineOf(["browser", "device"]) : 1;
  return [{ file, line, message: `there is no device "${device}" that a browser could look like, such as iPhone 15` }];
};

const toName = (file: string, from: string): string => path.relative(from, file) || file;

const findFiles = async (place: string, files: string[], problems: Problem[], given: string): Promise<void> => {
  const found = await stat(place).catch(() => undefined);
  if (!found) {
    problems.push({ file: given, line: 1, message: "there is no such file or folder" });
    return;
  }
  if (found.isFile()) {
    files.push(place);
    return;
  }
  for (const entry of await readdir(place, { withFileTypes: true })) {
    if (files.length > MOST_FILES) return;
    if (entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith("."))
      await findFiles(path.join(place, entry.name), files, problems, given);
    else if (entry.isFile() && IS_CASE.test(entry.name) && !SUITE.test(entry.name)) files.push(path.join(place, entry.name));
  }
};

type FoundSuite = { readonly suite: Suite; readonly file: string | null; readonly given: Variables };

/** Each is read once; one that is wrong takes its cases with it. */
const createSuites = (options: LoadOptions, problems: Problem[]) => {
  const known = new Map<string, Promise<FoundSuite | null>>();
  const read = async (folder: string): Promise<FoundSuite | null> => {
    for (const name of ["suite.yaml", "suite.yml"]) {
      const file = path.join(folder, name);
      const text = await readFile(file, "utf8").catch(() => undefined);
      if (text === undefined) continue;
      const found = parseSuite(text, file, options, problems);
      problems.push(...(await findUnknownDevice(found?.suite, { text, file: toName(file, options.from) }, options)));
      return found;
    }
    const above = path.dirname(folder);
    // No further than where names begin, or the root of everything.
    if (above === folder || path.relative(options.from, folder) === "") return { suite: {}, file: null, given: {} };
    return of(above);
  };
  const of = (folder: string): Promise<FoundSuite | null> => {
    const found = known.get(folder) ?? read(folder);
    known.set(folder, found);
    return found;
  };
  return { of };
};

const parseSuite = (
  text: string,
  file: string,
  { from, environment, variables = {} }: LoadOptions,
  problems: Problem[],
): FoundSuite | null => {
  const name = toName(file, from);
  const parsed = parseYamlLines(text, name);
  if (!("lineOf" in parsed)) {
    problems.push(...parsed);
    return null;
  }
  const own = readOwn(parsed.value);
  const check = (given: Variables) =>
    suiteSchema.safeParse(fillVariables(parsed.value ?? {}, { ...own, ...given, ...variables }).value);
  const checked = check({});
  const faults = checked.success ? [] : toFaults(checked.error);
  problems.push(...faults.map(({ path: at, message }) => ({ file: name, line: parsed.lineOf(at), message })));
  if (!checked.success) return null;
  const { baseUrl } = checked.data;
  if (baseUrl === undefined) return { suite: checked.data, file, given: {} };
  const url = typeof baseUrl === "string" ? baseUrl : baseUrl[environment ?? Object.keys(baseUrl)[0] ?? ""];
  if (url === undefined) {
    const there = typeof baseUrl === "string" ? "" : Object.keys(baseUrl).join(", ");
    const message = `there is no base URL for the environment "${environment ?? ""}"; there are ${there}`;
    problems.push({ file: name, line: parsed.lineOf(["baseUrl"]), message });
    return null;
  }
  const given = { baseUrl: url.replace(/\/$/, "") };
  return { suite: check(given).data ?? checked.data, file, given };
};

const readOwn = (value: unknown): Variables => {
  const { variables } = (value ?? {}) as { readonly variables?: unknown };
  return typeof variables === "object" && variables !== null ? (variables as Variables) : {};
};
