/** The TUI at work: sessions and keys come in, frames go out, and everything a person decides is carried out here. It owns no state of a run. */
import type { ApprovalView, RunView } from "@retinue/client";
import type { RunId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { describeCall } from "./draw/describe-call.ts";
import { drawAnswered } from "./draw/draw-answered.ts";
import { bodyOf, coverOf, linesOf } from "./draw/question-card.ts";
import { nameRuns, type RunNames } from "./draw/run-names.ts";
import { formatError } from "../cli/format-error.ts";
import type { Flagged } from "../cli/session-options.ts";
import type { Retinue } from "../create-retinue.ts";
import type { RunTestsHere } from "../qa/test-here.ts";
import type { KnownSecret } from "../secrets/create-redactor.ts";
import { BUILTIN_COMMANDS } from "./command/builtin-commands.ts";
import type { CommandContext } from "./command/command-context.ts";
import { createSlashCommands, type SlashCommand } from "./command/slash-commands.ts";
import { composeFrame, findRun } from "./compose-frame.ts";
import { completeAt } from "./input/completion.ts";
import { imagesIn, markImage, readPastedImage } from "./input/pasted-images.ts";
import { insertText } from "./input/text-editor.ts";
import { createKeyReader } from "./input/key-reader.ts";
import type { AskHub } from "./question/ask-hub.ts";
import type { ApprovalRule } from "../approval-rules/approval-rule.ts";
import { describeRule, isCovered, offerRule } from "../approval-rules/approval-rule.ts";
import type { Question } from "./question/question.ts";
import { createQuestionQueue } from "./question/question-queue.ts";
import { toRemarks } from "./question/review.ts";
import { addSeen, SEEN_WHOLE } from "./question/seen-rows.ts";
import { wrapRow } from "./screen/fit-row.ts";
import { createFullScreen } from "./screen/full-screen.ts";
import { createLiveScreen, type Size } from "./screen/live-screen.ts";
import { toClipboard, toNotification, toTitle } from "./screen/notify.ts";
import type { Row } from "./screen/row.ts";
import { safeName, safeText, span } from "./screen/row.ts";
import type { TerminalKind } from "./screen/terminal-kind.ts";
import { enterModes, leaveModes } from "./screen/terminal-modes.ts";
import { createConversation, type Conversation } from "./session/conversation.ts";
import { createTranscript } from "./session/transcript.ts";
import type { Acts } from "./key/key-ports.ts";
import { takeKey } from "./key/take-key.ts";
import { createTuiState, hasFreeKeys, type TuiState } from "./tui-state.ts";

/** A terminal, real or played. */
export type TuiTerminal = TerminalKind & {
  readonly write: (bytes: string) => void;
  readonly size: () => Size;
  /** Drawn on a screen of its own. */
  readonly isFullscreen?: boolean;
};

export type TuiOptions = {
  readonly terminal: TuiTerminal;
  readonly retinue: Retinue;
  /** Its real path. */
  readonly workspace: string;
  readonly project: string;
  readonly env: NodeJS.ProcessEnv;
  readonly asks: AskHub;
  readonly agent?: string | undefined;
  readonly flagged: Flagged;
  readonly maxConcurrent: number;
  readonly redact: (text: string) => string;
  readonly secrets: () => readonly KnownSecret[];
  readonly history: readonly string[];
  /** In addition to the built-in ones. */
  readonly commands?: readonly SlashCommand<CommandContext>[];
  readonly rules: readonly ApprovalRule[];
  readonly keepRule: (rule: ApprovalRule) => Promise<void>;
  readonly keepHistory: (history: readonly string[]) => void;
  readonly files: () => Promise<readonly string[]>;
  readonly runTests: RunTestsHere;
  readonly readDiff: (question: Question & { readonly type: "approval" }, workspace: string) => Promise<string | undefined>;
  readonly now?: () => number;
};

export type Tui = {
  /** What was read from the terminal, in whole characters. */
  readonly input: (text: string) => void;
  readonly resized: () => void;
  readonly print: (rows: readonly Row[]) => void;
  readonly conversation: Conversation;
  /** As if it had been typed and sent. */
  readonly submit: (text: string) => void;
  /** Settles when the user leaves. */
  readonly left: Promise<void>;
  readonly leave: () => void;
  /** Gives the terminal back. */
  readonly close: () => void;
  readonly state: TuiState;
};

const FRAME_MS = 33;
const TICK_MS = 1000;
/** How soon a question that waits for somebody to stop typing is looked at again. */
const QUESTION_TICK_MS = 200;
/** A window that is being drawn larger or smaller is drawn anew when it rests. */
const RESIZE_MS = 75;

export const createTui = (options: TuiOptions): Tui => {
  const { terminal, retinue, workspace, project, redact, secrets, asks } = options;
  const now = options.now ?? Date.now;
  const state = createTuiState(options.history);
  const screen = terminal.isFullscreen === true ? createFullScreen(terminal) : createLiveScreen(terminal);
  const queue = createQuestionQueue(now);
  const commands = createSlashCommands<CommandContext>(BUILTIN_COMMANDS);
  for (const command of options.commands ?? []) commands.add(command);
  const diffs = new Map<string, string | undefined>();
  let rules = options.rules;
  let pending: Row[] = [];
  let frameTimer: NodeJS.Timeout | undefined;
  let tickTimer: NodeJS.Timeout | undefined;
  let drawnAt = 0;
  let shownRuns: readonly RunId[] = [];
  let titled = -1;
  let wasWorking = false;
  let isClosed = false;
  const leaving = Promise.withResolvers<void>();
  const closed = new AbortController();
  /** What commands do themselves, and stops with the turn. */
  const stoppable = new Set<AbortController>();

  const width = (): number => Math.max(20, terminal.size().columns - 1);

  const print = (rows: readonly Row[]): void => {
    pending.push(...rows);
    schedule();
  };

  const showTakenBack = (text: string): void => {
    if (state.input.text === "") state.input = { text, cursor: text.length };
    state.notice = "Taken back; it will not be sent.";
    schedule();
  };

  const onFailed = (thrown: unknown): void => {
    const lines = formatError(thrown, redact, options.env)
      .split("\n")
      .filter((line) => line !== "");
    print([[], ...lines.flatMap((line) => wrapRow([span(` ${safeText(line)}`, "failed")], width(), "   "))]);
  };

  const conversation = createConversation({
    retinue,
    workspace,
    agent: options.agent,
    flagged: options.flagged,
    createTranscript: (kind) => createTranscript({ width, secrets, redact, kind }),
    onRows: print,
    onFailed,
    now,
  });

  let named: { readonly size: number; readonly names: RunNames } = { size: -1, names: new Map() };
  const rootsInView = (): readonly RunView[] => conversation.feeds().flatMap((feed) => feed.root() ?? []);
  const names = (): RunNames => {
    const size = conversation.feeds().reduce((sum, { view, sessionId }) => sum + view.runs.size + sessionId.length, 0);
    if (size !== named.size) named = { size, names: nameRuns(rootsInView()) };
    return named.names;
  };
  const allRuns = (): readonly RunView[] => {
    const flatten = (runs: readonly RunView[]): readonly RunView[] => runs.flatMap((run) => [run, ...flatten(run.children)]);
    return flatten(rootsInView());
  };

  const answer = (question: Question, given: Parameters<Retinue["live"]["answer"]>[1], byRule = false): void => {
    if (question.type !== "approval") return;
    queue.answered(question.id);
    retinue.live.answer(question.id, given, byRule ? { source: { via: "rule" } } : undefined).catch(onFailed);
    schedule();
  };

  /** What an agent asks the user is answered in words, everything else by a yes or no. */
  const toQuestion = (approval: ApprovalView): Question => {
    const { approvalId, act, agent } = approval;
    if (act.question === undefined) return { type: "approval", id: approvalId, approval };
    return {
      type: "ask",
      id: approvalId,
      by: `${safeName(agent)} asks you`,
      ...act.question,
      isRecorded: true,
      settle: (text) => {
        if (text !== undefined) retinue.live.answer(approvalId, { allowed: true, text }).catch(onFailed);
      },
    };
  };

  /** Questions of all sessions in view; those that a rule covers are answered before anybody sees them. */
  const readQuestions = (): void => {
    const open: Question[] = [];
    for (const { view } of conversation.feeds())
      for (const approval of view.openApprovals.values()) if (!approval.isClosed) open.push(toQuestion(approval));
    open.push(...asks.open());
    const before = queue.count();
    const gone = queue.sync(open);
    for (const question of gone)
      if (question.type === "approval" && question.approval.answer === null)
        print(
          wrapRow(
            [
              span(
                `  no longer asked, its run is over: ${safeName(question.approval.agent)} ${redact(describeCall(question.approval.act))}`,
                "dim",
              ),
            ],
            width(),
            "    ",
          ),
        );
    for (const question of open)
      if (question.type === "approval" && rules.some((rule) => isCovered(rule, question.approval.act, workspace)))
        answer(question, { allowed: true, scope: "once" }, true);
    if (queue.count() > before) notify("Retinue waits for your answer.");
  };

  const notify = (text: string): void => {
    if (!state.hasFocus) terminal.write(toNotification(text, terminal.notifyBy));
  };

  const loadDiff = (question: Question): void => {
    if (question.type !== "approval" || diffs.has(question.id)) return;
    diffs.set(question.id, undefined);
    const at = findRun(conversation, question.approval.runId)?.requested?.spec.workspace ?? workspace;
    const load = async (): Promise<void> => {
      diffs.set(question.id, await options.readDiff(question, at));
      schedule();
    };
    load().catch(() => undefined);
  };

  const draw = (): void => {
    frameTimer = undefined;
    if (isClosed) return;
    drawnAt = performance.now();
    readQuestions();
    const shown = queue.shown(hasFreeKeys(state));
    if (shown) loadDiff(shown.question);
    const rule = shown?.question.type === "approval" ? offerRule(shown.question.approval.act, workspace) : undefined;
    const frame = composeFrame({
      state,
      conversation,
      shown,
      diff: shown ? diffs.get(shown.question.id) : undefined,
      rule,
      onSeen: ({ id }, range) => state.seen.set(id, addSeen(state.seen.get(id), range)),
      waiting: queue.count(),
      names: names(),
      project,
      model: conversation.choices.model ?? retinue.model,
      redact,
      now: now(),
      size: terminal.size(),
    });
    shownRuns = frame.shownRuns;
    if (state.selected !== undefined && !shownRuns.includes(state.selected) && state.opened === undefined)
      state.selected = shownRuns[0];
    if (shownRuns.length === 0 && state.inTree) {
      state.inTree = false;
      setImmediate(schedule);
    }
    const finished = pending;
    pending = [];
    screen.draw({ finished, live: frame.live, cursor: frame.cursor });
    if (titled !== queue.count()) {
      titled = queue.count();
      terminal.write(toTitle(project, titled));
    }
    const isWorking = conversation.isWorking();
    if (wasWorking && !isWorking) notify("Retinue is done.");
    wasWorking = isWorking;
    clearTimeout(tickTimer);
    if (queue.count() > 0) tickTimer = setTimeout(draw, QUESTION_TICK_MS);
    else if (conversation.feeds().some((feed) => feed.isWorking())) tickTimer = setTimeout(draw, TICK_MS);
  };

  const schedule = (): void => {
    if (isClosed) return;
    frameTimer ??= setTimeout(draw, Math.max(0, FRAME_MS - (performance.now() - drawnAt)));
  };

  const context: CommandContext = {
    retinue,
    conversation,
    workspace,
    maxConcurrent: options.maxConcurrent,
    redact,
    width,
    print,
    names,
    runs: allRuns,
    inspect: (runId) => {
      state.opened = runId;
      schedule();
    },
    copy: (text) => terminal.write(toClipboard(text)),
    confirm: async (question, yes) =>
      (await asks.ask({ question, options: [yes, "no"], by: "retinue asks you" }, closed.signal)) === yes,
    runTests: options.runTests,
    stoppable: () => {
      const stop = new AbortController();
      stoppable.add(stop);
      return { signal: stop.signal, done: () => void stoppable.delete(stop) };
    },
    commands: () => commands,
    leave: () => leaving.resolve(),
  };

  const submit = (text: string, how: "now" | "after"): void => {
    options.keepHistory(state.history);
    const images = imagesIn(text, state.images);
    const carryOut = async (): Promise<void> => {
      if (text.startsWith("/")) await commands.run(text.trim(), context);
      else if (how === "now") await conversation.say(text.trim(), images);
      else if (images.length > 0)
        throw new RetinueError("usage", "Images cannot wait for after the turn.", {
          hint: "Enter sends them to the turn that runs.",
        });
      else await conversation.sayLater(text.trim());
    };
    carryOut().then(schedule, (thrown: unknown) => {
      onFailed(thrown);
      // What could not be sent is not lost.
      if (thrown instanceof RetinueError && state.input.text === "" && !text.startsWith("/"))
        state.input = { text, cursor: text.length };
    });
  };

  const offerStop: Acts["offerStop"] = (runId) => {
    const run = runId === undefined ? rootsInView().find((root) => root.state.type !== "settled") : findRun(conversation, runId);
    if (!run || run.state.type === "settled") return undefined;
    return { runId: run.runId, name: names().get(run.runId) ?? safeName(run.agent), below: countOpenBelow(run) };
  };

  const insert = (text: string): void => {
    state.input = insertText(state.input, text);
  };

  /** A model that does not see is given the path instead, and that is said. */
  const attach = async (paths: readonly string[], pasted: string): Promise<void> => {
    const model = conversation.choices.model ?? retinue.model;
    if (!(await retinue.readsImages(conversation.choices.model))) {
      insert(pasted);
      state.notice = `${safeName(model)} is not known to read images: the path stays text. /model takes another.`;
      return;
    }
    try {
      const images = await Promise.all(paths.map((one) => readPastedImage(one, workspace, options.env["HOME"])));
      for (const { name, part } of images) {
        const mark = markImage(name, state.images);
        state.images.set(mark, part);
        insert(`${mark} `);
      }
    } catch (thrown) {
      insert(pasted);
      state.notice = `The path stays text: ${safeName(thrown instanceof Error ? thrown.message : String(thrown))}`;
    }
  };

  const readableLines: Acts["linesOf"] = (question) =>
    question.type === "approval"
      ? linesOf(question.approval.act, diffs.get(question.id), redact)
      : redact(question.text)
          .split("\n")
          .flatMap((line) => wrapRow([span(safeText(line))], width() - 4).map(() => ({ text: "", isHunk: false })));
  /** What was remarked on lines of it, as one message. */
  const remarksOn = (question: Question): string | undefined => {
    const review = state.reviews.get(question.id);
    return review && toRemarks(review, readableLines(question));
  };

  const acts: Acts = {
    submit,
    allow: (question, scope) => {
      answer(question, { allowed: true, scope });
      const remarks = remarksOn(question);
      if (question.type === "approval" && remarks !== undefined)
        retinue.live.send(question.approval.runId, remarks).catch(onFailed);
    },
    allowByRule: (question, isKept) => {
      const rule = question.type === "approval" ? offerRule(question.approval.act, workspace) : undefined;
      if (!rule) return;
      rules = [...rules, rule];
      if (isKept) options.keepRule(rule).catch(onFailed);
      print([
        [
          span(
            `  rule: ${safeName(describeRule(rule))} is allowed ${isKept ? "in this folder from now on" : "until you leave"}`,
            "dim",
          ),
        ],
      ]);
      answer(question, { allowed: true, scope: "once" });
      // Its siblings that wait are settled by it, too.
      schedule();
    },
    deny: (question, reason) => {
      const said = reason === "" ? "The user said no." : `The user said no: ${reason}`;
      const remarks = remarksOn(question);
      answer(question, { allowed: false, reason: remarks === undefined ? said : `${said}\n${remarks}` });
    },
    answerAsk: (question, text) => {
      if (question.type !== "ask") return;
      queue.answered(question.id);
      if (question.isRecorded !== true) print(drawAnswered(redact(question.text), text, width()));
      question.settle(text);
    },
    linesOf: readableLines,
    coverOf: (question) => (question.type === "approval" ? coverOf(question.approval) : ""),
    showWhole: (question) => {
      state.seen.set(question.id, SEEN_WHOLE);
      if (question.type !== "approval") return;
      print([
        [],
        [span(`  ${safeName(question.approval.agent)} wants to ${redact(describeCall(question.approval.act))}`, "waiting")],
        ...bodyOf(question.approval.act, diffs.get(question.id), redact, width() - 4).map((one): Row => [span("    "), ...one]),
      ]);
    },
    stop: (runId, isFinish) => void conversation.stop(runId, isFinish).catch(onFailed),
    offerStop,
    stopTurn: () => {
      const working = rootsInView().filter((root) => root.state.type !== "settled");
      for (const { runId } of working) conversation.stop(runId, false).catch(onFailed);
      const isStopping = working.length > 0 || stoppable.size > 0;
      for (const stop of stoppable) stop.abort();
      return isStopping;
    },
    leave: () => leaving.resolve(),
    complete: () => {
      const asked = state.input;
      const complete = async (): Promise<void> => {
        const completion = await completeAt(asked, { commands, context, files: options.files });
        // What was typed meanwhile is completed by its own question.
        if (state.input !== asked) return;
        state.completion = completion;
        state.suggested = 0;
        schedule();
      };
      complete().catch(() => undefined);
    },
    attach: (paths, pasted) => void attach(paths, pasted).then(schedule, onFailed),
    takeBackLater: () => {
      const taking = conversation.takeBackLater();
      if (!taking) return false;
      taking.then(showTakenBack, onFailed);
      return true;
    },
    nameOf: (runId) => names().get(runId) ?? runId,
    shownRuns: () => shownRuns,
    redraw: () => screen.resized(),
    page: (pages) => screen.page?.(pages),
  };

  const reader = createKeyReader({
    onKey: (key) => {
      takeKey(key, { state, queue, acts, now });
      schedule();
    },
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  });

  asks.onChange(schedule);
  terminal.write(`${enterModes(terminal)}${toTitle(project, 0)}`);
  titled = 0;
  schedule();

  let resizeTimer: NodeJS.Timeout | undefined;
  return {
    input: reader.push,
    resized: () => {
      screen.resized();
      clearTimeout(resizeTimer);
      resizeTimer = setTimeout(schedule, RESIZE_MS);
    },
    print,
    conversation,
    submit: (text) => submit(text, "now"),
    left: leaving.promise,
    leave: () => leaving.resolve(),
    state,
    close: () => {
      if (isClosed) return;
      clearTimeout(frameTimer);
      clearTimeout(tickTimer);
      clearTimeout(resizeTimer);
      screen.clear();
      if (pending.length > 0) screen.draw({ finished: pending, live: [] });
      isClosed = true;
      closed.abort();
      for (const stop of stoppable) stop.abort();
      for (const ask of asks.open()) ask.settle(undefined);
      conversation.close();
      terminal.write(leaveModes(terminal));
    },
  };
};

const countOpenBelow = (run: RunView): number =>
  run.children.reduce((sum, child) => sum + (child.state.type === "settled" ? 0 : 1) + countOpenBelow(child), 0);
