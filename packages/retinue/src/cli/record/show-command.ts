/** `retinue sessions show`: a session with its tree of runs, then what was said, in lines or whole. */
import type { ForkPoint } from "@retinue/protocol";
import type { MessageRow, ReadSide, RunNode, SessionRow } from "@retinue/store";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { count, localTime, money } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import type { Redact } from "../format-error.ts";
import type { SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { readAgentIcons } from "./agent-icons.ts";
import { findSession } from "./find-session.ts";
import { formatMessage, formatMessageLine } from "./message-line.ts";
import { withRecord } from "./open-for-command.ts";
import type { SessionStates } from "./session-state.ts";
import { readStates, statusOf, withState } from "./session-state.ts";
import { formatRunTree } from "./run-tree.ts";
import { formatSandboxes } from "./sandbox-of.ts";

export type ShowOptions = Pick<SessionOptions, "workspace"> & { readonly messages?: boolean; readonly json?: boolean };

/** About two screens. */
const MOST_LINES = 50;
const PAGE = 500;

export const showCommand = (
  name: string,
  { messages, json, ...options }: ShowOptions,
  surroundings: Surroundings,
): Promise<number> =>
  withRecord(options, surroundings, async ({ store, sessions, workspace, loaded }) => {
    const { stdout, redact } = surroundings;
    const session = await findSession(name, { sessions, workspace });
    const tree = await sessions.tree(session.sessionId);
    const forkedFrom = await readForkPoint(sessions, tree);
    const states = await readStates({ sessions, approvals: store.approvals }, [session]);
    if (json === true) {
      const rows: MessageRow[] = [];
      if (messages === true) for await (const page of pagesOf(sessions, session)) rows.push(...page);
      const shown = { session: withState(session, states), forkedFrom, tree, ...(messages === true && { messages: rows }) };
      await stdout.write(`${toJsonLine(shown, redact)}\n`);
      return EXIT.done;
    }
    const print = async (lines: readonly string[]): Promise<void> => {
      for (const line of lines) await stdout.write(`${line}\n`);
    };
    await print(formatHead({ session, states, forkedFrom, redact }));
    await print([
      "",
      ...formatRunTree(tree, { redact, icons: await readAgentIcons({ home: loaded.home, workspace: session.workspace }) }),
      "",
    ]);
    if (messages === true) {
      for await (const page of pagesOf(sessions, session))
        for (const row of page) await print([...formatMessage(row, redact), ""]);
      return EXIT.done;
    }
    const first = await sessions.messages(session.sessionId, { limit: MOST_LINES });
    await print(first.items.map((row) => formatMessageLine(row, redact)));
    await print(formatSandboxes(first.items).map((line) => toPrintable(redact(line), "line")));
    const left = session.messageCount - first.items.length;
    await print([...(left > 0 ? [`… and ${count(left, "more message")}`] : []), "(--messages shows all of it whole)"]);
    return EXIT.done;
  });

type Head = {
  readonly session: SessionRow;
  readonly states: SessionStates;
  readonly forkedFrom: ForkPoint | null;
  readonly redact: Redact;
};

const formatHead = ({ session, states, forkedFrom, redact }: Head): readonly string[] =>
  [
    session.sessionId,
    session.title,
    `${statusOf(session, states)}, ${session.model}, ${session.workspace}`,
    ...[...states.holders.values()].map(
      ({ host, pid, since }) => `at work in process ${pid} on ${host} since ${localTime(since)}`,
    ),
    ...(states.questions.has(session.sessionId) ? ["retinue approvals list shows what it asks"] : []),
    `${localTime(session.createdAt)} to ${localTime(session.updatedAt)}, ${count(session.headSeq, "event")}`,
    `${count(session.runCount, "run")}, ${count(session.messageCount, "message")}, ${session.promptTokens} tokens in, ` +
      `${session.completionTokens} out, ${money(session.costUsd)}` +
      (session.unpricedCalls > 0 ? ` and ${count(session.unpricedCalls, "call")} without a known price` : ""),
    ...(forkedFrom === null ? [] : [`forked from ${forkedFrom.sessionId} at event #${forkedFrom.seq}`]),
  ].map((line) => toPrintable(redact(line), "line"));

/** Where the first run of a session left another, if it did. */
const readForkPoint = async (sessions: ReadSide, [root]: readonly RunNode[]): Promise<ForkPoint | null> => {
  const row = root && (await sessions.message(root.messageId));
  // The projection wrote it.
  const metadata = JSON.parse(row?.metadata_json ?? "{}") as { readonly forkedFrom?: ForkPoint };
  return metadata.forkedFrom ?? null;
};

async function* pagesOf(sessions: ReadSide, { sessionId }: SessionRow): AsyncGenerator<readonly MessageRow[]> {
  let after: string | null | undefined;
  while (after !== null) {
    const page = await sessions.messages(sessionId, { limit: PAGE, ...(after === undefined ? {} : { after }) });
    yield page.items;
    after = page.next;
  }
}
