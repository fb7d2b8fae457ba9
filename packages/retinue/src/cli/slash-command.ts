/** What can be said to the prompt itself: lines that begin with a slash. */
import type { ForkPoint, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { ApprovalQuery } from "@retinue/store";
import type { Retinue } from "../create-retinue.ts";
import type { FolderCommands } from "../folder-commands.ts";
import { unknownSlash } from "../unknown-slash.ts";
import { toPrintable } from "../terminal/printable.ts";
import { count, money } from "./amounts.ts";
import { findSession, isUnsettled, shortId } from "./record/find-session.ts";
import { toForkPoint } from "./record/fork-point.ts";
import { formatSessions, readRows } from "./record/list-command.ts";
import { readStates } from "./record/session-state.ts";
import { formatStats } from "./record/stats-command.ts";
import { toCell } from "./record/to-cell.ts";
import type { Surroundings } from "./surroundings.ts";

const HELP = `Each line is a turn; a line that ends in \\ goes on in the next.
  /model        shows the model
  /model name   changes it from the next turn on
  /new          starts a new session
  /sessions     lists the sessions of this folder
  /resume id    goes on with one of them
  /fork [event] leaves this session there, with the next turn (default: the end)
  /cost         shows what this session has cost
  /help         shows this
  /exit         leaves, like Ctrl-D
Ctrl-C cancels the turn that runs.
`;

const COMMANDS = ["/help", "/model", "/new", "/sessions", "/resume", "/fork", "/cost", "/exit"];

/** What changes from turn to turn. */
export type Conversation = {
  sessionId?: SessionId;
  model?: string;
  /** Of the session that it goes on with. */
  agent?: string;
  /** Where the next turn leaves the session. */
  forkFrom?: ForkPoint;
};

export type SlashContext = {
  readonly retinue: Retinue;
  readonly workspace: string;
  readonly conversation: Conversation;
  readonly surroundings: Surroundings;
  /** Commands that the user and the project have written as files. */
  readonly files: FolderCommands;
};

/** What the prompt does next. */
export type Obeyed =
  /** A command that is a file: its task is a turn, or the work of the agent that the file names, beside the session. */
  | { readonly type: "task"; readonly text: string; readonly agent?: string }
  | { readonly type: "leave" }
  | { readonly type: "stay" }
  | { readonly type: "resume"; readonly sessionId: SessionId };

const STAY: Obeyed = { type: "stay" };
const MOST_LISTED = 10;

/** Throws what is wrong with a line as an error of ours. */
export const obey = async (line: string, context: SlashContext): Promise<Obeyed> => {
  const { retinue, workspace, conversation, surroundings } = context;
  const { stderr, redact } = surroundings;
  const [command = "", word] = line.split(/\s+/);
  switch (command) {
    case "/exit":
    case "/quit":
      return { type: "leave" };
    case "/help":
      await stderr.write(HELP + describeFiles(context));
      return STAY;
    case "/new":
      delete conversation.sessionId;
      delete conversation.agent;
      delete conversation.forkFrom;
      await stderr.write("A new session begins with the next turn.\n");
      return STAY;
    case "/model":
      if (word !== undefined) conversation.model = word;
      await stderr.write(`model: ${toPrintable(conversation.model ?? retinue.model, "line")}\n`);
      return STAY;
    case "/sessions": {
      const { rows } = await readRows(retinue.sessions, { most: MOST_LISTED, workspace });
      const approvals = ({ sessionId }: ApprovalQuery = {}): ReturnType<typeof retinue.live.approvals> =>
        retinue.live.approvals(sessionId);
      const states = await readStates({ sessions: retinue.sessions, approvals }, rows);
      const lines = formatSessions(rows, { now: Date.now(), redact, withFolder: false, states });
      await stderr.write(lines.length === 0 ? "No session of this folder is recorded yet.\n" : `${lines.join("\n")}\n`);
      return STAY;
    }
    case "/resume":
      return resume(word, context);
    case "/fork": {
      const { sessionId } = requireSession(conversation);
      const session = await findSession(sessionId, { sessions: retinue.sessions, workspace });
      const events = await retinue.events(sessionId);
      conversation.forkFrom = await toForkPoint({ session, events, at: word, sessions: retinue.sessions });
      const where = `${shortId(sessionId)} at event #${conversation.forkFrom.seq}`;
      await stderr.write(`The next turn leaves ${where} and goes on in a session of its own.\n`);
      return STAY;
    }
    case "/cost": {
      const { sessionId } = requireSession(conversation);
      const session = await findSession(sessionId, { sessions: retinue.sessions, workspace });
      const stats = await retinue.sessions.stats({ by: "agent", sessionId });
      const unpriced = session.unpricedCalls > 0 ? ` and ${count(session.unpricedCalls, "call")} without a known price` : "";
      const total = `${session.promptTokens} tokens in, ${session.completionTokens} out, ${money(session.costUsd)}${unpriced}`;
      await stderr.write(`${formatStats(stats, "agent", redact).join("\n")}\n${total}\n`);
      return STAY;
    }
    default:
      return obeyFile(command.slice(1), line.slice(command.length).trim(), context);
  }
};

const describeFiles = ({ files: { commands }, surroundings: { redact } }: SlashContext): string =>
  [...commands.values()]
    .map(({ name, description }) => `  /${toPrintable(name, "line").padEnd(12)} ${toCell(description, redact)}\n`)
    .join("");

const obeyFile = async (name: string, rest: string, { files, retinue, surroundings }: SlashContext): Promise<Obeyed> => {
  const command = files.commands.get(name);
  if (!command) {
    const { message } = unknownSlash(name, [...COMMANDS.map((one) => one.slice(1)), ...files.commands.keys()]);
    await surroundings.stderr.write(`${toPrintable(message, "line")} /help lists the commands.\n`);
    return STAY;
  }
  const text = await files.expand(command, rest);
  const { agent } = command;
  return { type: "task", text, ...(agent !== undefined && retinue.agents.has(agent) && { agent }) };
};

const requireSession = ({ sessionId }: Conversation): { readonly sessionId: SessionId } => {
  if (sessionId === undefined)
    throw new RetinueError("session_unknown", "No session has begun here yet.", { hint: "/sessions lists those there are." });
  return { sessionId };
};

const resume = async (
  name: string | undefined,
  { retinue, workspace, conversation, surroundings }: SlashContext,
): Promise<Obeyed> => {
  if (name === undefined) throw new RetinueError("usage", "/resume needs an id.", { hint: "/sessions lists them." });
  const session = await findSession(name, { sessions: retinue.sessions, workspace });
  if (session.workspace !== workspace)
    throw new RetinueError("usage", `${session.sessionId} works in ${session.workspace}.`, {
      hint: `Open it there: retinue -C ${session.workspace}`,
    });
  conversation.sessionId = session.sessionId;
  delete conversation.forkFrom;
  const agent = (await retinue.sessions.tree(session.sessionId)).at(-1)?.agent;
  if (agent !== undefined) conversation.agent = agent;
  const { stderr, redact } = surroundings;
  const how = isUnsettled(session) ? "goes on where it was" : `${session.status}; the next turn goes on with it`;
  await stderr.write(`${shortId(session.sessionId)} ${toCell(session.title, redact)}: ${how}.\n`);
  return isUnsettled(session) ? { type: "resume", sessionId: session.sessionId } : STAY;
};
