/**
 * `retinue` alone: a prompt in the terminal. Each line is a turn of one session; Ctrl-C cancels the turn, Ctrl-D leaves.
 * Piped input works the same way, a turn a line, without the prompt.
 */
import type { SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { Interface } from "node:readline/promises";
import { createInterface } from "node:readline/promises";
import type { Retinue } from "../create-retinue.ts";
import { nearest } from "../settings/nearest.ts";
import { toPrintable } from "../terminal/printable.ts";
import { createApprover } from "./ask-approval.ts";
import { EXIT, errorExitCode } from "./exit-code.ts";
import { formatError } from "./format-error.ts";
import { readHistory, writeHistory } from "./history.ts";
import type { Interrupts } from "./interrupts.ts";
import { listenForInterrupts } from "./interrupts.ts";
import { offlineNotice, showRun } from "./show-run.ts";
import type { SessionOptions } from "./session-options.ts";
import { loadSessionSettings } from "./session-options.ts";
import type { Surroundings } from "./surroundings.ts";
import { readVersion } from "./version.ts";

const HELP = `Each line is a turn; a line that ends in \\ goes on in the next.
  /model        shows the model
  /model name   changes it from the next turn on
  /new          starts a new session
  /help         shows this
  /exit         leaves, like Ctrl-D
Ctrl-C cancels the turn that runs.
`;

const COMMANDS = ["/help", "/model", "/new", "/exit"];

/** What changes from turn to turn. */
type Conversation = { sessionId?: SessionId; model?: string };

export const chatCommand = async (options: SessionOptions, surroundings: Surroundings): Promise<number> => {
  const { stdin, stdout, stderr, env, redact } = surroundings;
  const { settings, workspace, home } = await loadSessionSettings(options, surroundings);
  const isTerminal = stdin.isTTY === true && stdout.isTerminal;

  let interrupts: Interrupts | undefined;
  const terminal = createInterface({
    input: stdin,
    ...(isTerminal && { output: process.stdout, history: await readHistory(home), historySize: 1000 }),
    terminal: isTerminal,
    prompt: "> ",
  });
  // Asked for before anything is awaited: lines that come earlier than their listener would be lost.
  const lines = terminal[Symbol.asyncIterator]();
  let isAsking = false;
  const ask = async (question: string, signal: AbortSignal): Promise<string> => {
    isAsking = true;
    try {
      return await terminal.question(question, { signal });
    } finally {
      isAsking = false;
    }
  };

  const { createRetinue } = await import("../create-retinue.ts");
  const retinue = await createRetinue({
    workspace,
    settings,
    env,
    ...(isTerminal && { approver: createApprover(ask, redact) }),
  });
  const conversation: Conversation = {};
  if (isTerminal) {
    terminal.on("SIGINT", () => (interrupts ? interrupts.raise("SIGINT") : clearLine(terminal, stderr)));
    terminal.on("history", (history: string[]) => {
      // Answers to questions are no turns.
      if (isAsking) history.shift();
      void writeHistory(home, history);
    });
  }
  await stderr.write(
    isTerminal ? `Retinue ${readVersion()}, ${toPrintable(retinue.model, "line")}. /help tells what can be done here.\n` : "",
  );
  await stderr.write(offlineNotice(retinue.model));

  /** Of the last turn that did not end well. At a prompt the user has seen it, so leaving is no failure. */
  let exitCode: number = EXIT.done;
  try {
    for await (const task of readTurns(lines, (text) => isTerminal && showPrompt(terminal, text))) {
      if (task.startsWith("/")) {
        if ((await obey(task, { retinue, conversation, surroundings })) === "leave") return exitCode;
        continue;
      }
      interrupts = listenForInterrupts(() => void stderr.write("\nretinue: cancelling the turn; once more to leave at once.\n"));
      try {
        const code = await takeTurn(task, { retinue, conversation, surroundings, options, signal: interrupts.signal });
        if (code !== EXIT.done && !isTerminal) exitCode = code;
      } finally {
        interrupts.release();
      }
      const stopped = interrupts.exitCode();
      interrupts = undefined;
      // In a script an interrupt is meant for all of it, at a prompt for the turn.
      if (stopped !== undefined && (!isTerminal || stopped !== EXIT.interrupted)) return stopped;
      if (stdout.closed.aborted) return EXIT.unread;
    }
    if (isTerminal) await stdout.write("\n");
    return exitCode;
  } finally {
    terminal.close();
    await retinue.close();
  }
};

/** Turns as they come: lines put together where they end in a backslash, empty ones left out. */
async function* readTurns(lines: AsyncIterator<string>, prompt: (text: string) => void): AsyncGenerator<string> {
  let turn = "";
  prompt("> ");
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
    const isOpen = next.value.endsWith("\\");
    turn += isOpen ? `${next.value.slice(0, -1)}\n` : next.value;
    if (!isOpen) {
      if (turn.trim() !== "") yield turn.trim();
      turn = "";
    }
    prompt(isOpen ? "… " : "> ");
  }
  if (turn.trim() !== "") yield turn.trim();
}

const showPrompt = (terminal: Interface, text: string): void => {
  terminal.setPrompt(text);
  terminal.prompt();
};

/** Ctrl-C while nothing runs. */
const clearLine = (terminal: Interface, stderr: Surroundings["stderr"]): void => {
  if (terminal.line === "") {
    void stderr.write("\n(Ctrl-D or /exit leaves.)\n");
    terminal.prompt();
    return;
  }
  // As by the keys: to the end of the line, then delete up to there.
  terminal.write(null, { ctrl: true, name: "e" });
  terminal.write(null, { ctrl: true, name: "u" });
};

type Turn = {
  readonly retinue: Retinue;
  readonly conversation: Conversation;
  readonly surroundings: Surroundings;
};

const obey = async (line: string, { retinue, conversation, surroundings }: Turn): Promise<"leave" | "stay"> => {
  const { stderr } = surroundings;
  const [command = "", ...words] = line.split(/\s+/);
  switch (command) {
    case "/exit":
    case "/quit":
      return "leave";
    case "/help":
      await stderr.write(HELP);
      return "stay";
    case "/new":
      delete conversation.sessionId;
      await stderr.write("A new session begins with the next turn.\n");
      return "stay";
    case "/model":
      if (words[0] !== undefined) conversation.model = words[0];
      await stderr.write(`model: ${toPrintable(conversation.model ?? retinue.model, "line")}\n`);
      return "stay";
    default:
      await stderr.write(`There is no ${toPrintable(command, "line")}; did you mean ${nearest(command, COMMANDS) ?? "/help"}?\n`);
      return "stay";
  }
};

const takeTurn = async (
  task: string,
  {
    retinue,
    conversation,
    surroundings,
    options,
    signal,
  }: Turn & { readonly options: SessionOptions; readonly signal: AbortSignal },
): Promise<number> => {
  const { stdout, stderr, redact, env } = surroundings;
  try {
    const run = await retinue.run(task, {
      signal: AbortSignal.any([signal, stdout.closed]),
      ...(options.agent !== undefined && { agent: options.agent }),
      ...(conversation.model !== undefined && { model: conversation.model }),
      ...(conversation.sessionId !== undefined && { sessionId: conversation.sessionId }),
    });
    conversation.sessionId = run.sessionId;
    return (await showRun(run, { type: "text" }, surroundings)).exitCode;
  } catch (thrown) {
    await stderr.write(formatError(thrown, redact, env));
    if (!(thrown instanceof RetinueError)) return EXIT.failed;
    // A model that cannot be had is not kept, or every turn would fail.
    if (thrown.code === "model_unknown" || thrown.code === "key_missing") delete conversation.model;
    return errorExitCode(thrown.code);
  }
};
