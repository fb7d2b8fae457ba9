/** `retinue sessions show`: a session with its tree of runs, then what was said, in lines or whole. */
import type { SessionView } from "@retinue/client";
import type { ForkPoint } from "@retinue/protocol";
import type { Damage, MessageRow, SessionRow } from "@retinue/store";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { count, localTime } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import type { Redact } from "../format-error.ts";
import { formatHandedOver } from "../format-transfer.ts";
import { showInput } from "../progress-renderer.ts";
import { withSpinner } from "../live/spinner.ts";
import type { SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { formatSpent } from "../tree-bill.ts";
import { readAgentIcons } from "./agent-icons.ts";
import { findSession } from "./find-session.ts";
import { formatMessage, formatMessageLine } from "./message-line.ts";
import { withRecord } from "./open-for-command.ts";
import type { SessionStates } from "./session-state.ts";
import { readStates, statusOf, withState } from "./session-state.ts";
import { readView } from "./read-view.ts";
import { pagesOf } from "./message-pages.ts";
import { formatSystemPrompts, readSystemPrompts } from "./system-prompts.ts";
import { toShownRuns } from "./run-json.ts";
import { formatRunTree } from "./run-tree.ts";
import { formatSandboxes } from "./sandbox-of.ts";

export type ShowOptions = Pick<SessionOptions, "workspace"> & {
  readonly messages?: boolean;
  readonly prompts?: boolean;
  readonly json?: boolean;
};

/** About two screens. */
const MOST_LINES = 50;

export const showCommand = (
  name: string,
  { messages, prompts, json, ...options }: ShowOptions,
  surroundings: Surroundings,
): Promise<number> =>
  withRecord(options, surroundings, async (record) => {
    const { store, sessions, workspace, loaded } = record;
    const { stdout, redact } = surroundings;
    const session = await findSession(name, { sessions, workspace });
    const spinner = { ...surroundings, isSilent: json === true };
    const { view, damage } = await withSpinner(`reading ${count(session.headSeq, "event")}`, spinner, () =>
      readView(record, session.sessionId),
    );
    const forkedFrom = view.roots[0]?.requested?.forkedFrom ?? null;
    const states = await readStates({ sessions, approvals: store.approvals }, [session]);
    if (json === true) {
      const rows: MessageRow[] = [];
      if (messages === true) for await (const page of pagesOf(sessions, session)) rows.push(...page);
      const shown = {
        session: withState(session, states),
        forkedFrom,
        spent: view.spent,
        openApprovals: [...view.openApprovals.values()],
        tree: toShownRuns(await sessions.tree(session.sessionId), view),
        damage,
        ...(prompts === true && { systemPrompts: await readSystemPrompts(sessions, session) }),
        ...(messages === true && { messages: rows }),
      };
      await stdout.write(`${toJsonLine(shown, redact)}\n`);
      return EXIT.done;
    }
    const print = async (lines: readonly string[]): Promise<void> => {
      for (const line of lines) await stdout.write(`${line}\n`);
    };
    await print(formatHead({ session, view, states, forkedFrom, damage, redact }));
    await print([
      "",
      ...formatRunTree(view.roots, { redact, icons: await readAgentIcons({ home: loaded.home, workspace: session.workspace }) }),
      "",
    ]);
    if (prompts === true) await print(formatSystemPrompts(await readSystemPrompts(sessions, session), redact));
    if (messages === true) {
      for await (const page of pagesOf(sessions, session))
        for (const row of page) await print([...formatMessage(row, redact), ""]);
      return EXIT.done;
    }
    const first = await sessions.messages(session.sessionId, { limit: MOST_LINES });
    await print(first.items.map((row) => formatMessageLine(row, redact)));
    await print(formatSandboxes(first.items).map((line) => toPrintable(redact(line), "line")));
    const left = session.messageCount - first.items.length;
    await print([
      ...(left > 0 ? [`… and ${count(left, "more message")}`] : []),
      "(--messages shows all of it whole, --prompts what the agents were told to be)",
    ]);
    return EXIT.done;
  });

type Head = {
  readonly session: SessionRow;
  readonly view: SessionView;
  readonly states: SessionStates;
  readonly forkedFrom: ForkPoint | null;
  readonly damage: Damage | null;
  readonly redact: Redact;
};

const formatHead = ({ session, view, states, forkedFrom, damage, redact }: Head): readonly string[] =>
  [
    session.sessionId,
    session.title,
    `${statusOf(session, states)}, ${session.model}, ${session.workspace}`,
    ...[...states.holders.values()].map(
      ({ host, pid, since }) => `at work in process ${pid} on ${host} since ${localTime(since)}`,
    ),
    `${localTime(session.createdAt)} to ${localTime(session.updatedAt)}, ${count(session.headSeq, "event")}`,
    `${count(view.spent.runs, "run")}, ${count(session.messageCount, "message")}, ${formatSpent(view.spent)}`,
    ...(session.importedAt === null ? [] : [`imported ${localTime(session.importedAt)}: what it says was not recorded here`]),
    ...(forkedFrom === null ? [] : [`forked from ${forkedFrom.sessionId} at event #${forkedFrom.seq}`]),
    ...Array.from(view.runs.values()).flatMap((run) => {
      const handedOver = formatHandedOver(run);
      return handedOver === undefined ? [] : [`${run.agent} (#${run.requested?.seq ?? "?"}) ${handedOver}`];
    }),
    ...Array.from(
      view.openApprovals.values(),
      ({ approvalId, agent, act }) => `${agent} waits for an answer to ${approvalId}: ${act.tool} ${showInput(act.input)}`,
    ),
    ...(damage === null
      ? []
      : [`damaged${damage.seq === null ? "" : ` at event #${damage.seq}`}: ${damage.what}; the tree shows what verifies`]),
  ].map((line) => toPrintable(redact(line), "line"));
