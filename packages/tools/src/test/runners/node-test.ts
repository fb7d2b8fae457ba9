/** Node's own test runner, by its JUnit reporter. */
import { readJunitReport } from "../junit-report.ts";
import { toNamePattern } from "../name-pattern.ts";
import { findNode } from "../node-program.ts";
import { findStackPlace } from "../stack-place.ts";
import type { TestRequest, TestRunner } from "../test-runner.ts";

export const nodeTest: TestRunner = {
  name: "node --test",
  isUsedBy: ({ testScript }) => testScript !== undefined && readScript(testScript) !== undefined,
  toCommand: async (request) => {
    const script = readScript(request.project.testScript ?? "") ?? { options: [], files: [] };
    return {
      file: await findNode(),
      args: [
        ...script.options,
        "--test",
        "--test-reporter=junit",
        `--test-reporter-destination=${request.reportFile}`,
        ...(request.filter === undefined ? [] : [`--test-name-pattern=${toNamePattern(request.filter)}`]),
        ...toFiles(request, script.files),
      ],
    };
  },
  toReport: ({ report }) =>
    report === undefined
      ? undefined
      : readJunitReport(report, {
          toName: ({ groups, name }) => [...groups, name].join(" > "),
          toPlace: findStackPlace,
        }),
};

const TEST_FILES = ["**/*.test", "**/*-test", "**/*_test", "**/test-*", "**/test", "**/test/**/*"].map(
  (name) => `${name}.{c,m,}{j,t}s`,
);

const toFiles = ({ path }: TestRequest, files: readonly string[]): readonly string[] => {
  if (path === undefined) return files;
  return path.isFolder ? TEST_FILES.map((pattern) => `${path.absolute}/${pattern}`) : [path.absolute];
};

type NodeScript = { readonly options: readonly string[]; readonly files: readonly string[] };

/** Options whose value may be the next word. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  "--import",
  "--require",
  "-r",
  "--loader",
  "--experimental-loader",
  "--conditions",
  "-C",
]);
const OURS = /^--test($|-reporter|-name-pattern)|^--watch/;

/** What `node --test` is given in the script; undefined where the script is something else, or needs a shell to be understood. */
const readScript = (script: string): NodeScript | undefined => {
  if (/[&|;<>$`\\(){}\n]/.test(script.replaceAll(/"[^"]*"|'[^']*'/g, ""))) return undefined;
  const words = Array.from(
    script.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
  if (words[0] !== "node" || !words.includes("--test")) return undefined;
  const options: string[] = [];
  const files: string[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (!word.startsWith("-")) files.push(word);
    else if (!OURS.test(word)) {
      options.push(word);
      const next = words[at + 1];
      if (WITH_VALUE.has(word) && next !== undefined) {
        options.push(next);
        at += 1;
      }
    }
  }
  return { options, files };
};
