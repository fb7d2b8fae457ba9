/** One session: its views, its inspector, what can be done to it, and the input below. */
import type { RunView } from "@retinue/client";
import { RetinueError, type RunId, type SessionId } from "@retinue/protocol";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "../parts/router.tsx";
import { Composer, type Said, wasJustStarted } from "../composer/composer.tsx";
import { QueuedTurns } from "../composer/queued-turns.tsx";
import { DeleteDialog } from "../dialogs/delete-dialog.tsx";
import { ForkDialog } from "../dialogs/fork-dialog.tsx";
import { MessageDialog } from "../dialogs/message-dialog.tsx";
import { StopDialog } from "../dialogs/stop-dialog.tsx";
import { Inspector } from "../inspector/inspector.tsx";
import type { RowsHandle } from "../parts/virtual-rows.tsx";
import { call } from "../server/call.ts";
import { useLists } from "../server/lists.ts";
import { useIconOf } from "../server/workspaces.ts";
import { useFolds } from "../session/folds.ts";
import { SceneProvider, type SessionScene, useSessionValue } from "../session/session-context.ts";
import { useReplay } from "../session/use-replay.ts";
import { speakerOf } from "../session/speaker-of.ts";
import { useSession } from "../session/use-session.ts";
import { toRangeQuery, useTimeRange } from "../session/use-time-range.ts";
import { useCommands } from "../shell/commands.ts";
import { Conversation } from "../tree/conversation.tsx";
import { ReplayBar } from "../views/replay-bar.tsx";
import { SelectedTime } from "../views/selected-time.tsx";
import { SessionHead, type SessionTab, TABS } from "./session-head.tsx";

const TimelineView = lazy(() => import("../views/timeline-view.tsx").then(({ TimelineView: view }) => ({ default: view })));
const PlanGraphView = lazy(() => import("../views/plan-view.tsx").then(({ PlanGraphView: view }) => ({ default: view })));
const MessagesView = lazy(() => import("../views/messages-view.tsx").then(({ MessagesView: view }) => ({ default: view })));
const FilesView = lazy(() => import("../views/files-view.tsx").then(({ FilesView: view }) => ({ default: view })));

type Shown = { readonly type: "stop" | "message" | "fork"; readonly run: RunView } | { readonly type: "delete" };

type Props = { readonly sessionId: SessionId; readonly tab: SessionTab; readonly runId: RunId | null };

export const SessionScreen = ({ sessionId, tab, runId }: Props) => {
  const live = useSession(sessionId);
  const [selected, select] = useState<RunId | null>(runId);
  const [range, setRange] = useTimeRange();
  const [isReplaying, setReplaying] = useState(false);
  const replay = useReplay(sessionId, isReplaying);
  const session = replay?.session ?? live;
  // The view is written to in place: what this screen itself draws from it is told in a few words.
  useSessionValue(session, () => {
    const { view: now } = session;
    const last = now.roots.at(-1);
    return `${last?.runId} ${last?.state.type} ${now.openApprovals.size > 0} ${live.isCaughtUp()} ${live.connection()} ${now.runs.has(selected ?? "run_none")}`;
  });
  const [, navigate] = useLocation();
  const { sessions } = useLists();
  const item = sessions.find((one) => one.sessionId === sessionId);
  const [queued, setQueued] = useState(0);
  const [restored, setRestored] = useState<{ readonly text: string } | null>(null);
  const folds = useFolds();
  const iconOf = useIconOf();
  const [shown, show] = useState<Shown | null>(null);
  const rows = useRef<RowsHandle | null>(null);
  const nodes = useRef<readonly RunView[]>([]);
  const setNodes = useCallback((runs: readonly RunView[]) => {
    nodes.current = runs;
  }, []);
  useEffect(() => {
    select(runId);
    setReplaying(false);
  }, [sessionId, runId]);

  const { view } = session;
  const root = view.roots.at(-1);
  const isAtWork = root !== undefined && root.state.type !== "settled" && root.state.type !== "unseen";
  const isCutOff = isAtWork && item !== undefined && item.driver === null && live.isCaughtUp() && view.openApprovals.size === 0;
  /** Who has the conversation, where it is not the main agent. */
  const heir = root && speakerOf(root, view);
  const speaker = heir === undefined || heir === root ? undefined : session.names.nameOf(heir);
  const chosen = selected === null ? undefined : view.runs.get(selected);
  const go = useCallback(
    (next: SessionTab) => navigate(`/sessions/${sessionId}${next === "conversation" ? "" : `/${next}`}${toRangeQuery(range)}`),
    [navigate, sessionId, range],
  );

  const scene: SessionScene = useMemo(
    () => ({
      session,
      isReplay: replay !== null,
      selected,
      select,
      range,
      setRange,
      ...folds,
      iconOf,
      stop: (run) => show({ type: "stop", run }),
      message: (run) => show({ type: "message", run }),
      fork: (run) => show({ type: "fork", run }),
    }),
    [session, replay !== null, selected, range, setRange, folds.isOpen, folds.isUnfolded, iconOf],
  );

  const move = (by: number): void => {
    const at = nodes.current.findIndex(({ runId: id }) => id === selected);
    const next = nodes.current[at === -1 ? (by > 0 ? 0 : nodes.current.length - 1) : at + by];
    if (next === undefined) return;
    select(next.runId);
    rows.current?.toRow(`${next.runId}/run`);
  };
  useCommands({
    j: () => move(1),
    k: () => move(-1),
    h: () => chosen !== undefined && folds.toggle(chosen, false),
    l: () => chosen !== undefined && folds.toggle(chosen, true),
    s: () => {
      const run = chosen ?? root;
      if (run !== undefined && run.state.type !== "settled") show({ type: "stop", run });
    },
    m: () => {
      const run = chosen ?? root;
      if (run !== undefined && run.state.type !== "settled") show({ type: "message", run });
    },
    Escape: () => (chosen === undefined ? setRange(null) : select(null)),
  });

  const say = async ({ text, images, isLater }: Said): Promise<void> => {
    const pictures = images.length === 0 ? {} : { images: images.map(({ mediaType, data }) => ({ mediaType, data })) };
    if (isAtWork && !isCutOff && !isLater && root !== undefined)
      await call("sendMessage", { params: { runId: root.runId }, body: { text, ...pictures } });
    else if (isAtWork && isLater) {
      if (images.length > 0)
        throw new RetinueError("request_invalid", "A message with pictures cannot wait for the end of the turn.", {
          hint: "Send it now, or without them.",
        });
      await call("queueTurn", { params: { sessionId }, body: { text } });
      setQueued((count) => count + 1);
    } else await call("startTurn", { params: { sessionId }, body: { text, ...pictures } });
    // What was said now lies outside of it.
    setRange(null);
    rows.current?.toEnd();
  };
  const command = (line: string): boolean => {
    const [word = ""] = line.split(" ");
    if (word === "/fork" && root !== undefined) show({ type: "fork", run: root });
    else if (word === "/stop" && root !== undefined && isAtWork) show({ type: "stop", run: root });
    else if (word === "/new") navigate("/");
    else if (word === "/cost") navigate("/stats");
    else if (word === "/sessions") navigate("/");
    else if (word === "/replay") setReplaying(true);
    else return false;
    return true;
  };
  const resume = (): void => {
    void call("resumeSession", { params: { sessionId }, body: {} });
  };

  if (live.connection() === "gone")
    return (
      <main className="screen blank">
        <h1>This session is not there</h1>
        <p className="quiet">It was deleted, or it belongs to another record.</p>
      </main>
    );
  return (
    <SceneProvider value={scene}>
      <main className={`session${chosen === undefined ? "" : " has-inspector"}`}>
        <div className="session-main">
          <SessionHead
            item={item}
            tab={tab}
            onTab={go}
            isAtWork={isAtWork}
            isCutOff={isCutOff}
            isReplaying={isReplaying}
            onStop={() => root !== undefined && show({ type: "stop", run: root })}
            onResume={resume}
            onFork={() => root !== undefined && show({ type: "fork", run: root })}
            onReplay={() => setReplaying(!isReplaying)}
            onDelete={() => show({ type: "delete" })}
          />
          {replay === null ? null : <ReplayBar replay={replay} onLeave={() => setReplaying(false)} />}
          {range === null ? null : <SelectedTime range={range} replay={replay} />}
          <div
            className="session-view"
            role="tabpanel"
            aria-label={TABS.find(({ name }) => name === tab)?.label ?? "Conversation"}
            id="session-view"
          >
            <Suspense fallback={<p className="blank quiet">Loading …</p>}>
              {tab === "conversation" ? <Conversation handle={rows} onNodes={setNodes} /> : null}
              {tab === "timeline" ? <TimelineView session={live} replay={replay} /> : null}
              {tab === "plan" ? <PlanGraphView workspaceId={isAtWork ? undefined : item?.workspaceId} /> : null}
              {tab === "messages" ? <MessagesView sessionId={sessionId} /> : null}
              {tab === "files" ? <FilesView /> : null}
            </Suspense>
          </div>
          {tab !== "conversation" || isReplaying ? null : (
            <QueuedTurns
              sessionId={sessionId}
              version={`${root?.runId} ${root?.state.type} ${queued}`}
              isAtWork={isAtWork}
              onTakenBack={(text) => setRestored({ text })}
            />
          )}
          {tab !== "conversation" || isReplaying ? null : (
            <Composer
              restored={restored}
              autoFocus={wasJustStarted(sessionId)}
              draftKey={sessionId}
              workspaceId={item?.workspaceId}
              placeholder={
                isAtWork && !isCutOff
                  ? `Say something to ${speaker ?? "the main agent"} while it works`
                  : `Say ${speaker === undefined ? "" : `to ${speaker} `}what comes next`
              }
              isAtWork={isAtWork && !isCutOff}
              onSay={say}
              onCommand={command}
              onStop={() => root !== undefined && show({ type: "stop", run: root })}
            />
          )}
        </div>
        {chosen === undefined ? null : (
          <>
            <button
              type="button"
              className="sheet-veil"
              aria-label="Close the inspector"
              onClick={() => select(null)}
              tabIndex={-1}
            />
            <Inspector key={chosen.runId} run={chosen} onClose={() => select(null)} />
          </>
        )}
      </main>
      {shown?.type === "stop" ? (
        <StopDialog run={shown.run} name={session.names.nameOf(shown.run)} onClose={() => show(null)} />
      ) : null}
      {shown?.type === "message" ? (
        <MessageDialog run={shown.run} name={session.names.nameOf(shown.run)} onClose={() => show(null)} />
      ) : null}
      {shown?.type === "fork" ? (
        <ForkDialog
          sessionId={sessionId}
          run={shown.run}
          {...(replay === null ? {} : { seq: replay.seq })}
          onClose={() => show(null)}
          onForked={(forked) => {
            show(null);
            navigate(`/sessions/${forked}`);
          }}
        />
      ) : null}
      {shown?.type === "delete" ? (
        <DeleteDialog
          sessionId={sessionId}
          title={item?.title ?? sessionId}
          onClose={() => show(null)}
          onDeleted={() => navigate("/")}
        />
      ) : null}
    </SceneProvider>
  );
};
