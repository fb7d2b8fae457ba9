/** `retinue` alone on a terminal: opens the workspace and the screen, and gives the terminal back as it was, however it ends. */
import type { SessionId } from "@retinue/protocol";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { StringDecoder } from "node:string_decoder";
import { EXIT } from "../cli/exit-code.ts";
import { formatLeftOut, formatSources } from "../cli/format-left-out.ts";
import { hangUpWith } from "../cli/hang-up.ts";
import { readHistory, writeHistory } from "../cli/history.ts";
import { listenForInterrupts } from "../cli/interrupts.ts";
import { commandSource } from "../cli/reach/command-source.ts";
import { findLatest, isUnsettled, shortId } from "../cli/record/find-session.ts";
import type { SessionOptions } from "../cli/session-options.ts";
import { loadSessionSettings } from "../cli/session-options.ts";
import { offlineNotice } from "../cli/show-run.ts";
import type { Surroundings } from "../cli/surroundings.ts";
import { readVersion } from "../cli/version.ts";
import type { Retinue } from "../create-retinue.ts";
import { askInRecord } from "../host/ask-in-record.ts";
import { toFileCommands } from "./command/file-commands.ts";
import { createAskHub } from "./question/ask-hub.ts";
import { keepRule, readRules } from "../approval-rules/rule-file.ts";
import { wrapRow } from "./screen/fit-row.ts";
import type { Row } from "./screen/row.ts";
import { row, safeName, safeText, span } from "./screen/row.ts";
import { terminalKindOf } from "./screen/terminal-kind.ts";
import { createTui, type Tui } from "./tui.ts";

export type OpenTuiOptions = SessionOptions & {
  /** A session to open at once. */
  readonly attach?: string;
};

/** Texts of several lines take one line of the file. */
const LINE_BREAK = "\u2028";
const FILES_MS = 10_000;

export const openTui = async (options: OpenTuiOptions, surroundings: Surroundings): Promise<number> => {
  const keys = holdKeys(surroundings.stdin);
  try {
    return await open(options, keys, surroundings);
  } finally {
    keys.release();
  }
};

type Keys = {
  /** From here on keys are given as they come, first those that were typed before. */
  readonly listen: (listener: (text: string) => void) => void;
  readonly release: () => void;
};

/** Keys are read one by one from the very beginning: what is typed while everything is opened is neither echoed nor lost. */
const holdKeys = (stdin: Surroundings["stdin"]): Keys => {
  const decoder = new StringDecoder("utf8");
  let typed = "";
  let listener: ((text: string) => void) | undefined;
  const onData = (bytes: Buffer | string): void => {
    const text = typeof bytes === "string" ? bytes : decoder.write(bytes);
    if (listener) listener(text);
    else typed += text;
  };
  const setRaw = (isRaw: boolean): void => {
    if ("setRawMode" in stdin && typeof stdin.setRawMode === "function") stdin.setRawMode(isRaw);
  };
  setRaw(true);
  stdin.on("data", onData);
  return {
    listen: (one) => {
      listener = one;
      if (typed !== "") one(typed);
    },
    release: () => {
      stdin.off("data", onData);
      stdin.pause();
      setRaw(false);
    },
  };
};

const open = async (options: OpenTuiOptions, keys: Keys, surroundings: Surroundings): Promise<number> => {
  const { stdin, env, redact, secrets } = surroundings;
  const { settings, workspace, home, flagged } = await loadSessionSettings(options, surroundings);
  const folder = await realpath(workspace);
  const asks = createAskHub();
  const problems: string[] = [];
  const { createRetinue } = await import("../create-retinue.ts");
  const retinue = await createRetinue({
    workspace,
    settings,
    env,
    source: commandSource(),
    onProblem: (problem) => void problems.push(problem),
    // Questions are read from the record, and answered there: whichever process they come from.
    approver: askInRecord,
  });
  const { readFolderCommands } = await import("../folder-commands.ts");
  const screen = process.stdout;
  let files: { readonly at: number; readonly list: Promise<readonly string[]> } | undefined;
  const tui: Tui = createTui({
    terminal: {
      write: (bytes) => void screen.write(bytes),
      size: () => ({ columns: screen.columns || 80, rows: screen.rows || 24 }),
      ...terminalKindOf(env),
      isFullscreen: settings.terminal.fullscreen,
    },
    retinue,
    workspace: folder,
    project: path.basename(folder),
    env,
    asks,
    agent: options.agent,
    flagged,
    maxConcurrent: settings.agent.maxConcurrent,
    redact,
    secrets,
    history: (await readHistory(home)).map((line) => line.replaceAll(LINE_BREAK, "\n")),
    commands: toFileCommands(await readFolderCommands({ folder, settings, env })),
    rules: await readRules(home, folder),
    keepRule: (rule) => keepRule(home, folder, rule),
    keepHistory: (history) =>
      void writeHistory(
        home,
        history.map((text) => text.replaceAll("\n", LINE_BREAK)),
      ),
    files: () => {
      if (!files || Date.now() - files.at > FILES_MS) files = { at: Date.now(), list: listProject(folder) };
      return files.list;
    },
    runTests: async (watched) => {
      const { createTestsHere } = await import("../qa/test-here.ts");
      const approve = tui.conversation.choices.approve ?? settings.approve;
      return createTestsHere({
        folder,
        home,
        env,
        open: (more) =>
          createRetinue({
            workspace,
            settings: { ...settings, approve },
            env,
            source: commandSource(),
            ...more,
          }),
      })(watched);
    },
    readDiff: async ({ approval }, at) => (await import("@retinue/tools")).readPlannedDiff(approval.act, at),
  });
  return live(tui, { retinue, folder, attach: options.attach, stdin, keys, screen, problems }, surroundings);
};

type Ground = {
  readonly retinue: Retinue;
  readonly folder: string;
  readonly attach: string | undefined;
  readonly stdin: Surroundings["stdin"];
  readonly keys: Keys;
  readonly screen: NodeJS.WriteStream;
  readonly problems: readonly string[];
};

const live = async (
  tui: Tui,
  { retinue, folder, attach, stdin, keys, screen, problems }: Ground,
  surroundings: Surroundings,
): Promise<number> => {
  const interrupts = listenForInterrupts(() => tui.leave());
  const unwatch = hangUpWith(stdin, interrupts);
  screen.on("resize", tui.resized);
  // A fault must not leave the terminal raw.
  process.once("exit", tui.close);
  let unsettled: SessionId | undefined;
  try {
    tui.print(await greet(retinue, folder, surroundings));
    keys.listen(tui.input);
    if (attach !== undefined) tui.submit(`/resume ${attach}`);
    await tui.left;
    const main = tui.conversation.main();
    unsettled = main?.isWorking() === true ? main.sessionId : undefined;
    return interrupts.exitCode() ?? EXIT.done;
  } finally {
    tui.close();
    process.off("exit", tui.close);
    screen.off("resize", tui.resized);
    unwatch();
    interrupts.release();
    await retinue.close();
    for (const problem of problems) await surroundings.stderr.write(`retinue: ${safeName(problem)}\n`);
    if (unsettled !== undefined)
      await surroundings.stderr.write(`retinue: left open; retinue attach ${shortId(unsettled)} goes on.\n`);
  }
};

const listProject = async (folder: string): Promise<readonly string[]> => {
  const { listFiles } = await import("@retinue/confine");
  return (await listFiles(folder, AbortSignal.timeout(FILES_MS))).files;
};

/** What answers here can do each of them. */
const examplesFor = (model: string): readonly string[] => [
  "what is in this folder?",
  "/spawn code-search where are errors handled?",
  model.startsWith("offline/") ? "find TODO comments" : "/plan add a test for the parser",
];

/** Who it is, what answers, what was left out, and what could be done first. */
const greet = async (retinue: Retinue, folder: string, { redact }: Surroundings): Promise<readonly Row[]> => {
  const width = Math.max(20, (process.stdout.columns || 80) - 1);
  const dim = (text: string): readonly Row[] => wrapRow([span(` ${safeText(text)}`, "dim")], width, "   ");
  const told = [formatLeftOut(retinue, redact), formatSources(retinue, redact), offlineNotice(retinue.model)]
    .join("")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const latest = await findLatest({ sessions: retinue.sessions, workspace: folder });
  const isCutOff = latest !== undefined && isUnsettled(latest);
  return [
    ...wrapRow(
      row(span(` Retinue ${readVersion()}`, "bold"), span("  one main agent and its retinue of sub-agents", "dim")),
      width,
      "   ",
    ),
    ...told.flatMap(dim),
    ...(latest === undefined
      ? [
          ...dim("Say what is to be done, or try:"),
          ...examplesFor(retinue.model).map((one): Row => [span("   "), span(one, "code")]),
        ]
      : []),
    ...(isCutOff && latest ? dim(`${shortId(latest.sessionId)} has not ended; /resume latest goes on with it.`) : []),
    [],
  ];
};
