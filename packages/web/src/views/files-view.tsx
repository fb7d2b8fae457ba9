/**
 * The files that a session changed, by agent. Comments on lines are gathered and go, with path, line and code, as one message to the agent that
 * wrote them, or to the main agent where that one is over.
 */
import { toPrintable } from "@retinue/client/text";
import { type ErrorValue, toErrorValue } from "@retinue/protocol";
import { useState } from "react";
import { plural } from "../parts/amounts.ts";
import { DiffView } from "../parts/diff-view.tsx";
import type { DiffLine } from "../parts/file-diff.ts";
import { call } from "../server/call.ts";
import { useScene, useSessionVersion } from "../session/session-context.ts";
import { useWholeRuns } from "../session/use-whole-runs.ts";
import { ErrorNote } from "../tree/tool-card.tsx";
import { type FileChange, readChangedFiles } from "./changed-files.ts";

type Comment = { readonly change: FileChange; readonly line: DiffLine; readonly at: number; readonly text: string };

const keyOf = (change: FileChange, at: number): string => `${change.callId}/${change.diff.path}/${at}`;

const toMessage = (comments: readonly Comment[]): string =>
  `Comments on your changes:\n\n${comments
    .map(({ change, line, text }) => `${change.diff.path}:${line.after ?? line.before ?? 0}\n> ${line.text}\n${text}`)
    .join("\n\n")}`;

export const FilesView = () => {
  const { session, select, isReplay, range } = useScene();
  useSessionVersion(session);
  const [comments, setComments] = useState<ReadonlyMap<string, Comment>>(new Map());
  const [told, setTold] = useState("");
  const [error, setError] = useState<ErrorValue | null>(null);
  const missing = useWholeRuns(session, [...session.view.runs.values()]);
  const files = readChangedFiles(session.view, range);
  const written = [...comments.values()].filter(({ text }) => text.trim() !== "");

  const write = (comment: Comment): void =>
    setComments((before) => new Map(before).set(keyOf(comment.change, comment.at), comment));
  const send = async (): Promise<void> => {
    const byRun = Map.groupBy(written, ({ change }) => change.run);
    const sessionId = session.view.sessionId;
    const root = session.view.roots.at(-1);
    try {
      for (const [run, given] of byRun) {
        const text = toMessage(given);
        if (run.state.type !== "settled") await call("sendMessage", { params: { runId: run.runId }, body: { text } });
        else if (root !== undefined && root.state.type !== "settled")
          await call("sendMessage", { params: { runId: root.runId }, body: { text } });
        else await call("startTurn", { params: { sessionId }, body: { text } });
      }
      setTold(`${plural(written.length, "comment")} sent.`);
      setComments(new Map());
    } catch (thrown) {
      setError(toErrorValue(thrown));
    }
  };
  if (files.size === 0)
    return (
      <p className="blank quiet">
        {missing > 0
          ? `Reading ${plural(missing, "run")} …`
          : `No agent of this session has changed a file${range === null ? "" : " in the selected time"}.`}
      </p>
    );
  return (
    <div className="view-scroll stack">
      <div className="line wrap files-head">
        <span className="grow">
          {plural(files.size, "file")} changed <span className="quiet small">· click a line number to comment</span>
        </span>
        <span role="status" className="small">
          {missing > 0 ? `Reading ${plural(missing, "more run")} …` : told}
        </span>
        {written.length === 0 || isReplay ? null : (
          <button type="button" className="button solid small" onClick={() => void send()}>
            Send {plural(written.length, "comment")}
          </button>
        )}
      </div>
      {error === null ? null : <ErrorNote error={error} />}
      {[...files].map(([path, changes]) => (
        <section key={path} className="stack" aria-label={toPrintable(path, "line")}>
          {changes.map((change) => (
            <div key={change.callId}>
              <p className="small">
                <button type="button" className="link" onClick={() => select(change.run.runId)}>
                  {session.names.nameOf(change.run)}
                </button>{" "}
                <span className="quiet">{change.at === "" ? "" : new Date(change.at).toLocaleTimeString()}</span>
              </p>
              <DiffView
                diff={change.diff}
                onComment={(line, at) => !comments.has(keyOf(change, at)) && write({ change, line, at, text: "" })}
                below={(line, at) => {
                  const comment = comments.get(keyOf(change, at));
                  return comment === undefined ? null : (
                    <tr className="comment">
                      <td colSpan={3}>
                        <textarea
                          className="field"
                          rows={2}
                          autoFocus
                          aria-label={`Comment on line ${line.after ?? line.before ?? 0} of ${toPrintable(path, "line")}`}
                          value={comment.text}
                          onChange={({ target }) => write({ ...comment, text: target.value })}
                        />
                      </td>
                    </tr>
                  );
                }}
              />
            </div>
          ))}
        </section>
      ))}
    </div>
  );
};
