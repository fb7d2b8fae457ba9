/**
 * Shows a run whose answer is what counts: what it says on the way goes beside, and only its last words go to stdout, once they are whole. On a terminal one
 * line lives below the agents that have ended, and the answer is rendered; in pipes there are plain lines.
 */
import { createSessionView, hasConversation, type SessionView } from "@retinue/client";
import type { RunHandle } from "@retinue/engine";
import type { EventOf, RetinueEvent } from "@retinue/protocol";
import { createEndedAgents } from "../../tui/draw/ended-agents.ts";
import { renderMarkdown } from "../../tui/draw/markdown-stream.ts";
import { createToldRows } from "../../tui/draw/told-rows.ts";
import type { Row } from "../../tui/screen/row.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { formatProgress } from "../progress-renderer.ts";
import type { Surroundings } from "../surroundings.ts";
import type { LiveStatus } from "./live-status.ts";
import { drawRunLine } from "./run-line.ts";
import { writeMarkdown } from "./write-markdown.ts";

/** What whoever has the conversation said before it went on to work. */
const interimOf = (event: RetinueEvent, { runs }: SessionView): string => {
  const run = runs.get(event.runId);
  if (event.type !== "model.answered" || run === undefined || !hasConversation(run, runs)) return "";
  const isWork = event.content.some(({ type }) => type === "tool-call");
  return isWork
    ? event.content
        .map((part) => (part.type === "text" ? part.text : ""))
        .join("")
        .trim()
    : "";
};

/** Gives the session as it was seen. */
export const followAnswer = async (
  run: RunHandle,
  status: LiveStatus | undefined,
  surroundings: Surroundings,
): Promise<SessionView> => {
  const store = createSessionView(run.sessionId, { isPartial: true, keepsLog: false });
  const tell = status ? createLiveTelling(run, status, store.view, surroundings) : createPlainTelling(store.view, surroundings);
  try {
    for await (const event of run) {
      store.apply(event);
      await tell(event);
      if (event.type === "run.settled" && event.runId === run.runId) await writeAnswer(event, status, surroundings);
    }
  } finally {
    status?.show(undefined);
  }
  return store.view;
};

type Tell = (event: RetinueEvent) => Promise<void> | void;

const createPlainTelling = (view: SessionView, { stderr, redact }: Surroundings): Tell => {
  return async (event) => {
    const said = interimOf(event, view);
    if (said !== "") await stderr.write(`${toPrintable(redact(said), "prose")}\n`);
    const line = formatProgress({ event, runs: view.runs, redact, columns: stderr.columns() ?? Infinity });
    if (line !== undefined) await stderr.write(`${line}\n`);
  };
};

const createLiveTelling = (run: RunHandle, status: LiveStatus, view: SessionView, { redact }: Surroundings): Tell => {
  const told = createToldRows({
    redact,
    width: status.width,
    inset: "",
    alsoTold: (event) => event.type === "tool.settled" && event.outcome !== "ok",
  });
  const ended = createEndedAgents();
  const toRows = (event: RetinueEvent): readonly Row[] => {
    const root = view.runs.get(run.runId);
    const isTurn = event.runId === run.runId && (event.type === "model.requested" || event.type === "run.settled");
    const said = interimOf(event, view);
    return [
      ...(root && isTurn ? ended.take(root, status.width()) : []),
      ...(said === "" ? [] : renderMarkdown(redact(said), status.width())),
      ...told(event, view.runs),
    ];
  };
  status.show(() => {
    const root = view.runs.get(run.runId);
    return root ? drawRunLine([root], { now: Date.now(), width: status.width(), sign: status.sign() }) : [];
  });
  return (event) => {
    const rows = toRows(event);
    if (rows.length > 0) status.print(rows);
  };
};

const writeAnswer = async (
  { result }: EventOf<"run.settled">,
  status: LiveStatus | undefined,
  surroundings: Surroundings,
): Promise<void> => {
  status?.show(undefined);
  await writeMarkdown(result.details, surroundings);
};
