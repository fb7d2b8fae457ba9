/**
 * What test cases do while they run, to stderr, so that standard output holds what came of them alone: their lines as they come, and on a terminal one line
 * that lives with how many are done, which are at work, and for how long.
 */
import type { LoadedCase } from "@retinue/qa";
import { createCaseLog, formatCaseLine } from "@retinue/qa";
import { toPrintable } from "../../terminal/printable.ts";
import { clock } from "../../tui/draw/clock.ts";
import { withRight } from "../../tui/screen/fit-row.ts";
import { row, safeName, span } from "../../tui/screen/row.ts";
import type { AtWork } from "../work-with.ts";

export type TestLogOptions = {
  readonly isTold: boolean;
  /** Where several cases run at once, each line says whose it is. */
  readonly workers: number;
  readonly cases: number;
};

type CaseEvent = Parameters<ReturnType<typeof createCaseLog>["take"]>[0];

export type TestLog = {
  readonly hears: {
    readonly onBegin?: (loaded: LoadedCase, attempt: number) => void;
    readonly onEvent?: (loaded: LoadedCase, event: CaseEvent) => void;
    readonly onEnd?: (result: Parameters<typeof formatCaseLine>[0]) => void;
  };
  /** The line that lives is taken away. */
  readonly close: () => void;
};

export const createTestLog = (
  { isTold, workers, cases }: TestLogOptions,
  { status, surroundings: { stderr, redact } }: Pick<AtWork, "status" | "surroundings">,
): TestLog => {
  if (!isTold) return { hears: {}, close: () => undefined };
  const logs = new Map<LoadedCase, ReturnType<typeof createCaseLog>>();
  const begunAt = Date.now();
  let ended = 0;
  const tell = (line: string): void => void stderr.write(`${toPrintable(redact(line), "line")}\n`);
  status?.show(() => {
    const now = Date.now();
    const titles = [...logs.keys()].map(({ testCase }) => safeName(redact(testCase.title))).join(", ");
    const left = row(span(`${status.sign()} `, "running"), span(`${ended} of ${cases} done`, "bold"), `  ${titles}`);
    return withRight(left, [span(clock(now - begunAt), "dim")], status.width());
  });
  return {
    close: () => status?.show(undefined),
    hears: {
      onBegin: (loaded, attempt) => {
        logs.set(loaded, createCaseLog());
        tell(`${loaded.testCase.title}${attempt > 1 ? ` (attempt ${attempt})` : ""}`);
      },
      onEvent: (loaded, event) => {
        const prefix = workers > 1 ? `${loaded.testCase.title}: ` : "";
        for (const line of logs.get(loaded)?.take(event) ?? []) tell(`${prefix}${line}`);
      },
      onEnd: (result) => {
        for (const loaded of logs.keys()) if (loaded.id === result.id) logs.delete(loaded);
        tell(`${formatCaseLine(result)} (${++ended} of ${cases} done)`);
      },
    },
  };
};
