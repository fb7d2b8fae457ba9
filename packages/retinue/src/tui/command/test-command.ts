/** `/test`: runs test cases beside the conversation. Their agents stand in the tree while they work, and each step and verdict is written as it comes. */
import type { SessionId } from "@retinue/protocol";
import type { CaseResult, StepResult, Verdict } from "@retinue/protocol/test-case";
import { count, seconds } from "../../cli/amounts.ts";
import { withRight, wrapRow } from "../screen/fit-row.ts";
import type { Row, Style } from "../screen/row.ts";
import { row, safeName, safeText, span } from "../screen/row.ts";
import type { CommandContext } from "./command-context.ts";
import type { SlashCommand } from "./slash-commands.ts";
import { tell } from "./tell.ts";

/** Glyph, word and colour, as of runs. */
const VERDICTS: Readonly<Record<StepResult["verdict"], readonly [glyph: string, word: string, style: Style]>> = {
  pass: ["✓", "passed", "completed"],
  fail: ["✗", "failed", "failed"],
  blocked: ["⊘", "blocked", "waiting"],
  inconclusive: ["?", "inconclusive", "partial"],
  skipped: ["○", "skipped", "cancelled"],
};

const drawStep = (
  { number, action, verdict, reason }: StepResult,
  redact: (text: string) => string,
  width: number,
): readonly Row[] => {
  const [glyph, word, style] = VERDICTS[verdict];
  const head = row(
    "    ",
    span(`${glyph} `, style),
    `${number} ${safeName(redact(action))}`,
    verdict === "pass" ? "" : span(`  ${word}`, style),
  );
  const why =
    verdict === "pass" || verdict === "skipped"
      ? []
      : wrapRow([span(`      ${safeText(redact(reason))}`, "dim")], width, "      ");
  return [...wrapRow(head, width, "        "), ...why];
};

export const drawCase = (result: CaseResult, redact: (text: string) => string, width: number): readonly Row[] => {
  const [glyph, word, style] = VERDICTS[result.verdict];
  const left = row("  ", span(`${glyph} `, style), safeName(redact(result.title)), span(`  ${word}`, style));
  const why =
    result.steps.length === 0 && result.reason !== ""
      ? wrapRow([span(`    ${safeText(redact(result.reason))}`, "dim")], width, "    ")
      : [];
  return [
    withRight(left, [span(seconds(result.durationMs), "dim")], width),
    ...why,
    ...result.steps.flatMap((step) => drawStep(step, redact, width)),
  ];
};

const summarise = (cases: readonly CaseResult[]): string =>
  (["pass", "fail", "blocked", "inconclusive"] satisfies readonly Verdict[])
    .map((verdict) => ({ word: VERDICTS[verdict][1], number: cases.filter((one) => one.verdict === verdict).length }))
    .filter(({ number }) => number > 0)
    .map(({ word, number }) => `${number} ${word}`)
    .join(", ");

export const test: SlashCommand<CommandContext> = {
  name: "test",
  takes: "[file …]",
  about: "runs test cases, those in tests/ by default",
  run: async (rest, context) => {
    const { conversation, print, redact, width, runTests } = context;
    const leave = new Map<SessionId, () => void>();
    const stopped = context.stoppable();
    try {
      const { id, cases } = await runTests({
        paths: rest === "" ? [] : rest.split(/\s+/),
        signal: stopped.signal,
        agree: (app) =>
          context.confirm(
            `The suite starts its application, outside of the sandbox, by\n  ${app.command}\nStart it?`,
            "yes, start it",
          ),
        onLoaded: (loaded) => tell(context, `${count(loaded.length, "test case")}; Ctrl-C stops.`),
        onBegin: ({ testCase }, attempt) =>
          print([
            [],
            row(
              span("  ● ", "running"),
              safeName(redact(testCase.title)),
              attempt > 1 ? span(`  attempt ${attempt}`, "dim") : "",
            ),
          ]),
        onEvent: (_, { sessionId }) => {
          if (!leave.has(sessionId)) leave.set(sessionId, conversation.watch(sessionId));
        },
        onEnd: (result) => {
          if (result.sessionId !== null) leave.get(result.sessionId)?.();
          print(drawCase(result, redact, width()));
        },
      });
      tell(context, `${count(cases.length, "test case")}: ${summarise(cases)}. retinue test report ${id} writes a report.`);
    } finally {
      stopped.done();
      for (const close of leave.values()) close();
    }
  },
};
