/** The conversation of a session: its rows, and the way back to the end when something came while one was reading. */
import type { RunView } from "@retinue/client";
import type { RunId } from "@retinue/protocol";
import { type RefObject, useMemo, useRef, useState } from "react";
import { plural } from "../parts/amounts.ts";
import { Icon } from "../parts/icons.tsx";
import { type RowsHandle, VirtualRows } from "../parts/virtual-rows.tsx";
import { runsTo } from "../session/path-of.ts";
import { useScene, useSessionVersion } from "../session/session-context.ts";
import { estimateRow, RowView } from "./row-view.tsx";
import { createRowsBuilder } from "./rows.ts";
import { rowsWithin } from "./rows-within.ts";

const awaitedRuns = (runs: Iterable<RunView>): ReadonlySet<RunId> => new Set([...runs].map(({ runId }) => runId));

export const Conversation = ({
  handle,
  onNodes,
}: {
  readonly handle: RefObject<RowsHandle | null>;
  readonly onNodes: (runs: readonly RunView[]) => void;
}) => {
  const scene = useScene();
  const { session, isOpen, range } = scene;
  const version = useSessionVersion(session);
  const [unseen, setUnseen] = useState(0);
  const end = useRef<RowsHandle | null>(null);
  const build = useMemo(createRowsBuilder, [session.view]);
  const rows = useMemo(() => {
    const { view } = session;
    const awaited = awaitedRuns(
      [...view.openApprovals.values()].flatMap(({ runId }) => {
        const run = view.runs.get(runId);
        return run === undefined ? [] : runsTo(session, run);
      }),
    );
    const isAwaited = (runId: RunId): boolean => awaited.has(runId);
    const all = build({ roots: view.roots, isOpen, isAwaited, versionOf: session.versionOf });
    return range === null ? all : rowsWithin(all, range, isAwaited);
    // The view is written to in place: its version stands for it.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [version, isOpen, build, session, range]);
  onNodes(useMemo(() => rows.flatMap((row) => (row.type === "run" ? [row.run] : [])), [rows]));

  return (
    <div className="conversation">
      {range !== null && rows.length === 0 ? <p className="blank quiet">Nothing happened in the selected time.</p> : null}
      <VirtualRows
        // A selected time is read from its beginning, and is no list to which something was added.
        key={range === null ? "all" : `${range.from}-${range.to}`}
        startsAtEnd={range === null}
        rows={rows}
        estimate={estimateRow}
        draw={(row) => <RowView row={row} version={`${session.versionOf(row.run.runId)} ${session.names.nameOf(row.run)}`} />}
        label="Conversation"
        role="log"
        isComplete={session.isCaughtUp()}
        handle={(given) => {
          end.current = given;
          handle.current = given;
        }}
        onUnseen={setUnseen}
      />
      {unseen > 0 ? (
        <button type="button" className="button unseen" onClick={() => end.current?.toEnd()}>
          <Icon name="down" size={14} /> {plural(unseen, "new row")}
        </button>
      ) : null}
    </div>
  );
};
