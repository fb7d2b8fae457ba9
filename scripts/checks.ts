/** The checks beside the tests: each one is a command that ends with 0 when all is well. */
import { totalmem } from "node:os";
import { stripVTControlCharacters } from "node:util";
import { type NodeEnding, plainEnvironment, runNode } from "./run-node.ts";

export type Check = {
  readonly name: string;
  readonly args: readonly string[];
  /** What to do when it fails, where the output does not say. */
  readonly mend?: string;
};

export type CheckResult = { readonly name: string; readonly passed: boolean };

/** What was found the last time, so that the compiler looks again only at what a change can have touched. */
const keptTypes = (name: string): string[] => [
  "--incremental",
  "--tsBuildInfoFile",
  `node_modules/.cache/types/${name}.tsbuildinfo`,
];

const GIB = 2 ** 30;

/**
 * Compiler and linter are Go programs that end soon: what they would spend on collecting garbage, almost half of their time, is left out until they
 * hold 2 GiB, which they come near to anyway.
 */
const withoutCollecting = (): NodeJS.ProcessEnv => (totalmem() < 8 * GIB ? {} : { GOGC: "off", GOMEMLIMIT: "2GiB" });

/** Those that only read the tree. The long ones first, so that the short ones fill the gaps. */
export const STATIC_CHECKS: readonly Check[] = [
  { name: "types", args: ["node_modules/typescript/bin/tsc", "--noEmit", ...keptTypes("all")] },
  {
    name: "types of the page",
    args: ["node_modules/typescript/bin/tsc", "--noEmit", ...keptTypes("page"), "--project", "packages/web"],
  },
  { name: "lint", args: ["node_modules/oxlint/bin/oxlint", "--type-aware", "--deny-warnings"] },
  { name: "format", args: ["node_modules/oxfmt/bin/oxfmt", "--check"], mend: "`npm run format` mends it." },
  { name: "imports", args: ["scripts/check-imports.ts"] },
  { name: "locks", args: ["scripts/check-lock.ts"] },
  { name: "file reads", args: ["scripts/check-file-reads.ts"] },
  { name: "safety cases", args: ["scripts/check-safety-cases.ts"] },
  { name: "errors doc", args: ["scripts/generate-errors-doc.ts", "--check"] },
  { name: "events doc", args: ["scripts/generate-events-doc.ts", "--check"] },
];

export const ALL_CHECKS: readonly Check[] = [{ name: "examples", args: ["scripts/run-examples.ts"] }, ...STATIC_CHECKS];

/** Those that take too long for every change. */
export const LONG_CHECKS: readonly Check[] = [{ name: "package", args: ["scripts/try-package.ts"] }];

const passed = ({ exitCode }: NodeEnding): boolean => exitCode === 0;

const toReport = ({ name, mend }: Check, ending: NodeEnding): string => {
  const seconds = `${(ending.durationMs / 1000).toFixed(1)} s`;
  if (passed(ending)) return `ok      ${name}  ${seconds}`;
  const body = [
    stripVTControlCharacters(ending.output).trimEnd(),
    ending.signal === null ? "" : `ended by ${ending.signal}`,
    mend ?? "",
  ];
  return [
    `FAILED  ${name}  ${seconds}`,
    ...body.filter((text) => text !== "").map((text) => text.replaceAll(/^/gm, "    ")),
  ].join("\n");
};

export type CheckOptions = {
  readonly root: string;
  readonly checks: readonly Check[];
  readonly report: (text: string) => void;
  /** Two, unless told: most of them use more than one core themselves. */
  readonly atOnce?: number;
  readonly signal?: AbortSignal;
};

export const runChecks = async ({ root, checks, report, atOnce = 2, signal }: CheckOptions): Promise<CheckResult[]> => {
  const results: CheckResult[] = [];
  const waiting = [...checks];
  const work = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const ending = await runNode({
        args: check.args,
        cwd: root,
        env: { ...plainEnvironment(), ...withoutCollecting() },
        output: "captured",
        ...(signal === undefined ? {} : { signal }),
      });
      report(toReport(check, ending));
      results.push({ name: check.name, passed: passed(ending) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
};
