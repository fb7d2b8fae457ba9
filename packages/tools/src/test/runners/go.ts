/** `go test`, by its stream of JSON events. */
import path from "node:path";
import { z } from "zod";
import { toNamePattern } from "../name-pattern.ts";
import { parseJson } from "../parse-json.ts";
import type { TestFailure, TestReport, TestRunner } from "../test-runner.ts";

const EVENT = z.object({
  Action: z.string(),
  Package: z.string().optional(),
  ImportPath: z.string().optional(),
  Test: z.string().optional(),
  Output: z.string().optional(),
});

export const go: TestRunner = {
  name: "go test",
  isUsedBy: ({ names }) => names.has("go.mod") || names.has("go.work"),
  toCommand: async ({ project, path: named, filter }) => {
    const folder = named === undefined ? project.folder : named.isFolder ? named.absolute : path.dirname(named.absolute);
    const relative = path.relative(project.folder, folder).replaceAll(path.sep, "/");
    const packages = `./${relative}${named === undefined || named.isFolder ? `${relative === "" ? "" : "/"}...` : ""}`;
    return { file: "go", args: ["test", "-json", ...(filter === undefined ? [] : [`-run=${toNamePattern(filter)}`]), packages] };
  },
  toReport: ({ output }) => readEvents(output),
};

type GoTest = { readonly pack: string; readonly name: string; readonly action: string };

const ENDED: ReadonlySet<string> = new Set(["pass", "fail", "skip"]);

const readEvents = (output: string): TestReport | undefined => {
  const said = new Map<string, string>();
  const tests: GoTest[] = [];
  const failedPackages: string[] = [];
  let isStream = false;
  for (const line of output.split("\n")) {
    const event = line.startsWith("{") ? EVENT.safeParse(parseJson(line)) : undefined;
    if (!event?.success) continue;
    isStream = true;
    const { Action: action, Test: name, Output: text } = event.data;
    // What the compiler says names the package of the tests in brackets.
    const pack = event.data.Package ?? event.data.ImportPath?.replace(/ \[.*\]$/, "") ?? "";
    const key = `${pack}\0${name ?? ""}`;
    if (text !== undefined) said.set(key, (said.get(key) ?? "") + text);
    else if (ENDED.has(action) && name !== undefined) tests.push({ pack, name, action });
    else if (action === "fail") failedPackages.push(pack);
  }
  if (!isStream) return undefined;
  // A test with tests in it is only their sum, unless it failed by itself.
  const isSum = ({ pack, name, action }: GoTest): boolean =>
    tests.some(
      (other) => other.pack === pack && other.name.startsWith(`${name}/`) && (action !== "fail" || other.action === "fail"),
    );
  const counted = tests.filter((test) => !isSum(test));
  const failures: TestFailure[] = counted
    .filter(({ action }) => action === "fail")
    .map(({ pack, name }) => toFailure(`${pack} > ${name.replaceAll("/", " > ")}`, said.get(`${pack}\0${name}`) ?? ""));
  for (const pack of new Set(failedPackages))
    if (!tests.some((test) => test.pack === pack && test.action === "fail"))
      failures.push(toFailure(`${pack} (the package itself)`, said.get(`${pack}\0`) ?? ""));
  const count = (action: string): number => counted.filter((test) => test.action === action).length;
  return { passed: count("pass"), failed: count("fail"), skipped: count("skip"), failures };
};

const toFailure = (name: string, text: string): TestFailure => {
  const message = text
    .split("\n")
    .filter((line) => !/^\s*(=== |--- )/.test(line))
    .join("\n");
  const [, file, line] = /^\s*(?:\.\/)?([\w./-]+\.go):(\d+)/m.exec(message) ?? [];
  return { name, ...(file === undefined ? {} : { file, line: Number(line) }), message };
};
