/** The page: who may see it, its addresses, its keys, and what stands over every screen. */
import type { RunId, SessionId } from "@retinue/protocol";
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { useLocation } from "../parts/router.tsx";
import { watchQuestions } from "../approvals/shown-questions.ts";
import { Icon } from "../parts/icons.tsx";
import { HomeScreen } from "../screens/home-screen.tsx";
import { NotFoundScreen } from "../screens/not-found-screen.tsx";
import { type SessionTab, TABS } from "../screens/session-head.tsx";
import { SessionScreen } from "../screens/session-screen.tsx";
import { signedOut } from "../server/call.ts";
import { useLists } from "../server/lists.ts";
import { useCall } from "../server/use-call.ts";
import { WorkspacesContext } from "../server/workspaces.ts";
import { listenToKeys, useCommands } from "./commands.ts";
import { DroppedNote } from "./dropped-note.tsx";
import { Help } from "./help.tsx";
import { Inbox } from "./inbox.tsx";
import { useWaitingNotice } from "./notify.ts";
import { Palette } from "./palette.tsx";
import { Sidebar } from "./sidebar.tsx";
import { SignIn } from "./sign-in.tsx";

const AgentsScreen = lazy(() => import("../screens/agents-screen.tsx").then(({ AgentsScreen: screen }) => ({ default: screen })));
const StatsScreen = lazy(() => import("../screens/stats-screen.tsx").then(({ StatsScreen: screen }) => ({ default: screen })));
const TestsScreen = lazy(() =>
  import("../screens/tests/tests-screen.tsx").then(({ TestsScreen: screen }) => ({ default: screen })),
);
const PlansScreen = lazy(() => import("../screens/plans-screen.tsx").then(({ PlansScreen: screen }) => ({ default: screen })));
const SettingsScreen = lazy(() =>
  import("../screens/settings-screen.tsx").then(({ SettingsScreen: screen }) => ({ default: screen })),
);

const Screen = ({ path }: { readonly path: string }) => {
  const [, area = "", id = "", view = ""] = path.split("/").map(decodeURIComponent);
  const asked = new URLSearchParams(location.search).get("run") as RunId | null;
  switch (area) {
    case "sessions":
      if (!id.startsWith("ses_")) return <NotFoundScreen path={path} />;
      return (
        <SessionScreen
          key={id}
          sessionId={id as SessionId}
          tab={TABS.find(({ name }) => name === view)?.name ?? ("conversation" satisfies SessionTab)}
          runId={asked}
        />
      );
    case "agents":
      return <AgentsScreen name={id} />;
    case "stats":
      return <StatsScreen />;
    case "tests":
      return <TestsScreen testRunId={id} />;
    case "plans":
      return <PlansScreen />;
    case "settings":
      return <SettingsScreen />;
    case "":
      return <HomeScreen />;
    default:
      return <NotFoundScreen path={path} />;
  }
};

type Over = "inbox" | "palette" | "help" | null;

const SignedIn = () => {
  const [path, navigate] = useLocation();
  const { approvals } = useLists();
  const waiting = approvals.length;
  const [over, setOver] = useState<Over>(null);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [chosen, choose] = useState<string | null>(null);
  const workspaces = useCall("listWorkspaces", {});
  const all = workspaces.value?.workspaces ?? [];
  const current = all.find(({ workspaceId }) => workspaceId === chosen) ?? all[0];
  const agents = useCall("listAgents", current === undefined ? null : { params: { workspaceId: current.workspaceId } });
  const again = useCallback(() => {
    workspaces.again();
    agents.again();
  }, [workspaces.again, agents.again]);
  const known = useMemo(
    () => ({ all, current, choose, agents: agents.value?.agents ?? [], again }),
    [all, current, agents.value, again],
  );

  useWaitingNotice(
    approvals,
    useCallback(({ sessionId, runId }) => navigate(`/sessions/${sessionId}?run=${runId}`), [navigate]),
  );
  useEffect(listenToKeys, []);
  useEffect(watchQuestions, []);
  const close = useCallback(() => setOver(null), []);
  const openInbox = useCallback(() => setOver("inbox"), []);
  useCommands({
    "?": () => setOver("help"),
    "Ctrl-K": () => setOver("palette"),
    a: () => waiting > 0 && setOver("inbox"),
    "g s": () => navigate("/"),
    "g p": () => navigate("/plans"),
    "g t": () => navigate("/tests"),
    "g a": () => navigate("/agents"),
  });

  return (
    <WorkspacesContext value={known}>
      <div className={`shell${isMenuOpen ? " is-menu-open" : ""}`}>
        <a className="skip" href="#main">
          Skip to the content
        </a>
        <div className="topbar">
          <button
            type="button"
            className="button plain square"
            aria-label="Sessions and screens"
            aria-expanded={isMenuOpen}
            onClick={() => setMenuOpen(!isMenuOpen)}
          >
            <Icon name="menu" />
          </button>
          <span className="brand-name grow">Retinue</span>
          {waiting === 0 ? null : (
            <button type="button" className="badge" data-status="waiting" onClick={openInbox}>
              ! {waiting} waiting
            </button>
          )}
        </div>
        <button
          type="button"
          className="menu-veil"
          aria-label="Close the menu"
          tabIndex={-1}
          onClick={() => setMenuOpen(false)}
        />
        <Sidebar path={path} onInbox={openInbox} onChoose={() => setMenuOpen(false)} onPalette={() => setOver("palette")} />
        <div className="content" id="main">
          <Suspense fallback={<p className="blank quiet">Loading …</p>}>
            <Screen path={path} />
          </Suspense>
        </div>
      </div>
      <DroppedNote />
      {over === "inbox" ? <Inbox onClose={close} /> : null}
      {over === "palette" ? <Palette onClose={close} onInbox={openInbox} onHelp={() => setOver("help")} /> : null}
      {over === "help" ? <Help onClose={close} /> : null}
    </WorkspacesContext>
  );
};

export const App = () => {
  const [isOut, setOut] = useState(false);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const listener = (): void => setOut(true);
    signedOut.listeners.add(listener);
    return () => void signedOut.listeners.delete(listener);
  }, []);
  return isOut ? (
    <SignIn
      onDone={() => {
        setOut(false);
        setTurn(turn + 1);
      }}
    />
  ) : (
    <SignedIn key={turn} />
  );
};
