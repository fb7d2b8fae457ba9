/** The recorded rows of a session, as they stand in the store: runs, model calls and tool calls, page by page. */
import type { SessionId } from "@retinue/protocol";
import type { RouteOutput } from "@retinue/protocol/routes";
import { useCallback, useEffect, useMemo, useState } from "react";
import { count, money, took } from "../parts/amounts.ts";
import { VirtualRows } from "../parts/virtual-rows.tsx";
import { call } from "../server/call.ts";
import { useScene } from "../session/session-context.ts";
import { isTimeSpanWithin } from "../session/time-range.ts";

type Message = RouteOutput<"listMessages">["items"][number];
type MessageLine = { readonly key: string; height: number; readonly message: Message };

const PAGE = 500;

const describe = (message: Message): string =>
  (message.tool_name === null
    ? (message.request_content ?? message.response_content ?? "")
    : `${message.tool_name} ${message.request_content ?? ""}`
  )
    .replaceAll(/\s+/g, " ")
    .slice(0, 240);

const Line = ({ message }: { readonly message: Message }) => (
  <div className="message-line" role="row">
    <span role="cell" className="quiet">
      {message.seq}
    </span>
    <span role="cell" className="clip">
      {message.agent_role} <span className="quiet">{message.agent_depth}</span>
    </span>
    <span role="cell">{message.request_type.replace("_", " ")}</span>
    <span role="cell" className="clip mono">
      {describe(message)}
    </span>
    <span role="cell">{message.outcome ?? message.status}</span>
    <span role="cell">{message.total_tokens === null ? "" : count(message.total_tokens)}</span>
    <span role="cell">{message.cost_usd === null ? "" : money(message.cost_usd)}</span>
    <span role="cell">{message.duration_ms === null ? "" : took(message.duration_ms)}</span>
  </div>
);

export const MessagesView = ({ sessionId }: { readonly sessionId: SessionId }) => {
  const [lines, setLines] = useState<readonly MessageLine[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const read = useCallback(
    async (after?: string): Promise<void> => {
      const page = await call("listMessages", {
        params: { sessionId },
        query: { limit: PAGE, ...(after === undefined ? {} : { after }) },
      });
      const added = page.items.map((message) => ({ key: String(message.id), height: 0, message }));
      setLines((before) => (after === undefined ? added : [...before, ...added]));
      setNext(page.next);
    },
    [sessionId],
  );
  useEffect(() => void read(), [read]);
  const { range } = useScene();
  // The rows of a selected time are read up to its end. A call that waited to be allowed begins later than the rows around it: a whole page tells.
  const isBehind = range !== null && lines.slice(-PAGE).some(({ message: { started_at: at } }) => Date.parse(at) <= range.to);
  useEffect(() => void (isBehind && next !== null && read(next)), [isBehind, next, read]);
  const shown = useMemo(
    () =>
      range === null
        ? lines
        : lines.filter(({ message }) => isTimeSpanWithin({ from: message.started_at, to: message.completed_at }, range)),
    [lines, range],
  );
  return (
    <div className="messages" role="table" aria-label="Recorded messages">
      <div role="rowgroup">
        <div className="message-line message-head" role="row">
          {["event", "agent", "request", "what", "outcome", "tokens", "cost", "time"].map((head) => (
            <span key={head} role="columnheader">
              {head}
            </span>
          ))}
        </div>
      </div>
      <VirtualRows
        rows={shown}
        estimate={() => 30}
        draw={({ message }) => <Line message={message} />}
        label="Rows"
        role="rowgroup"
        startsAtEnd={false}
      />
      {next === null || range !== null ? null : (
        <button type="button" className="button small" onClick={() => void read(next)}>
          Next {PAGE} rows
        </button>
      )}
    </div>
  );
};
