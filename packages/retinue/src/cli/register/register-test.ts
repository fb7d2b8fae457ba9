/** `retinue test …` on the command line. */
import type { TestOptions } from "../test/test-options.ts";
import type { Registrar } from "./registrar.ts";
import { collect, withWorkspace } from "./session-flags.ts";

const EXAMPLE = `
Examples:
  retinue test init                      write a first test case
  retinue test tests/ --workers 4 --junit junit.xml --html report.html
  retinue test tests/login.yaml --grep admin --retries 1
  retinue test record http://127.0.0.1:3000/   write what you do as a case
  retinue test tests/ --rerun --heal save      again without a model, and mend
  retinue test report latest             show what came of the last call

Steps act without being asked about; --approve says otherwise.

Exit codes: 0 every case passed; 1 a case failed; 2 a file is wrong, or there is
no case; 5 none failed, but one could not be verified (inconclusive); 6 none
failed, but one could not be tested (blocked); 7 with --strict, one passed only
at a retry (flaky). JUnit has a failure for the first, errors of type
inconclusive and blocked, and the property flaky.
`;

export const registerTest = ({ program, surroundings, act }: Registrar): void => {
  const test = withWorkspace(
    program
      .command("test")
      .description("run test cases, and report what came of them")
      .argument("[paths...]", "files and folders of test cases")
      .option("--grep <pattern>", "only cases whose title or file matches")
      .option("--tag <tag>", "only cases with this tag; !tag: without it; may be repeated", collect)
      .option("--shard <n/count>", "only this share of the cases")
      .option("--workers <n>", "how many cases run at the same time", "1")
      .option("--retries <n>", "how often a case is tried again", "0")
      .option("--env <name>", "the environment whose base URL is used")
      .option("--var <name=value>", "a variable; may be repeated", collect)
      .option("--junit <file>", "write JUnit XML")
      .option("--html <file>", "write one HTML file with steps and evidence")
      .option("--json", "print what came of the cases as JSON")
      .option("--rerun", "do what a passed case did again, without a model")
      .option("--heal <mode>", "with --rerun: off, report or save what is found otherwise; report, in CI off")
      .option("--compare-flat", "run each case by one agent, too, and compare the tokens")
      .option("--export <form>", "playwright: write passed cases as Playwright tests")
      .option("--out <folder>", "where exported tests are written")
      .option("--strict", "flaky and healed cases are no success")
      .option("--trust-app", "start the application that a suite names without asking")
      .option("--approve <mode>", "ask, read-only, workspace or all")
      .option("-m, --model <name>", "provider/model, or a name from models")
      .option("--limit <key=value>", "a limit of each run; may be repeated", collect)
      .helpCommand("help [command]", "show help for a command")
      .addHelpText("after", EXAMPLE),
    "the folder to work in",
  ).action((paths: string[], options: TestOptions) =>
    act(async () => {
      const { testCommand } = await import("../test/test-command.ts");
      return testCommand(paths, options, surroundings);
    }),
  );

  withWorkspace(test.command("init").argument("[folder]", "where it is written", "tests"), "the folder to work in")
    .description("write a first test case")
    .action((folder: string, _options: TestOptions, command: { readonly optsWithGlobals: () => TestOptions }) =>
      act(async () => {
        const { testInitCommand } = await import("../test/test-init-command.ts");
        return testInitCommand(folder, command.optsWithGlobals(), surroundings);
      }),
    );

  withWorkspace(test.command("record").argument("<url>", "where it begins"), "the folder to work in")
    .description("write what you do in a window as a test case")
    .option("--title <text>", "the title of the case")
    .option("--out <file>", "where it is written; tests/recorded.yaml by default")
    .option("--force", "write over a file that is there")
    .action((url: string, _options: TestOptions, command: { readonly optsWithGlobals: () => TestOptions }) =>
      act(async () => {
        const { testRecordCommand } = await import("../test/test-record-command.ts");
        return testRecordCommand(url, command.optsWithGlobals(), surroundings);
      }),
    );

  withWorkspace(test.command("report").argument("<id>", "of a call of retinue test, or latest"), "the folder to work in")
    .description("show what came of an earlier call")
    .option("--junit <file>", "write JUnit XML")
    .option("--html <file>", "write one HTML file with steps and evidence")
    .option("--json", "print it as JSON")
    .action((id: string, _options: TestOptions, command: { readonly optsWithGlobals: () => TestOptions }) =>
      act(async () => {
        const { testReportCommand } = await import("../test/test-report-command.ts");
        return testReportCommand(id, command.optsWithGlobals(), surroundings);
      }),
    );
};
