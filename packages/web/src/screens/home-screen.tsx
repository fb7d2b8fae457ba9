/** The first screen: one input for a task, and, where no model is configured, what this is, what answers, and how to connect one. */
import { RetinueError } from "@retinue/protocol";
import { useState } from "react";
import { useLocation } from "../parts/router.tsx";
import { Composer, keepFocus, type Said } from "../composer/composer.tsx";
import { Glyph } from "../parts/status.tsx";
import { call } from "../server/call.ts";
import { useLists } from "../server/lists.ts";
import { useWorkspaces } from "../server/workspaces.ts";
import { AgentTile } from "../tree/agent-icon.tsx";
import { FirstRun } from "./first-run.tsx";

const EXAMPLES = [
  {
    title: "Find your way",
    text: "Give me an overview of this project: what it does, where it starts, and which files matter most.",
  },
  { title: "Ask about the code", text: "Where is the main entry point defined, and who uses it?" },
  {
    title: "Get started",
    text: "How do I install, build and test this project?",
  },
] as const;

export const HomeScreen = () => {
  const [, navigate] = useLocation();
  const { current, agents } = useWorkspaces();
  const { sessions, isRead } = useLists();
  const [approve, setApprove] = useState("");
  const [agent, setAgent] = useState("");
  const say = async ({ text, images }: Said): Promise<void> => {
    // Somebody may be quicker than the first answer of the server.
    const workspace = current ?? (await call("listWorkspaces", {})).workspaces[0];
    if (workspace === undefined) throw new RetinueError("internal", "The server works in no folder.");
    const { sessionId } = await call("startSession", {
      body: {
        workspaceId: workspace.workspaceId,
        text,
        ...(images.length === 0 ? {} : { images: images.map(({ mediaType, data }) => ({ mediaType, data })) }),
        ...(approve === "" ? {} : { approve: approve as "ask" }),
        ...(agent === "" ? {} : { agent }),
      },
    });
    keepFocus(sessionId);
    navigate(`/sessions/${sessionId}`);
  };
  const command = (line: string): boolean => {
    const places: Readonly<Record<string, string>> = {
      "/agents": "/agents",
      "/cost": "/stats",
      "/model": "/settings",
      "/sessions": "/",
      "/plan": "/plans",
    };
    const place = places[line.split(" ")[0] ?? ""];
    if (place === undefined || line.includes(" ")) return false;
    navigate(place);
    return true;
  };
  const isFirst = isRead && sessions.length === 0;
  return (
    <main className="screen home">
      <div className="home-inner">
        <h1 className="home-title">{isFirst ? "One main agent, and its retinue." : "What shall be done?"}</h1>
        <p className="home-sub">
          {isFirst
            ? "Say what you want; the main agent hands the work to sub-agents, and you watch every one of them: what it does, what it costs, what it waits for."
            : current === undefined
              ? ""
              : `In ${current.folder}`}
        </p>
        <Composer
          draftKey="new"
          workspaceId={current?.workspaceId}
          placeholder="Say what is to be done"
          isAtWork={false}
          onSay={say}
          onCommand={command}
          autoFocus
          hint={current === undefined ? "" : `${current.name} · ${current.model}`}
        />
        <div className="home-options">
          <label>
            Agent{" "}
            <select className="field" value={agent} onChange={({ target }) => setAgent(target.value)}>
              <option value="">main</option>
              {agents
                .filter(({ name }) => name !== "main")
                .map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
            </select>
          </label>
          <label>
            Asks you{" "}
            <select className="field" value={approve} onChange={({ target }) => setApprove(target.value)}>
              <option value="">as the settings say</option>
              <option value="ask">before every act</option>
              <option value="workspace">beyond the workspace</option>
              <option value="read-only">never: it only reads</option>
              <option value="all">never</option>
            </select>
          </label>
        </div>
        {isFirst || current?.isOffline === true ? (
          <section aria-label="Examples" className="examples">
            {EXAMPLES.map(({ title, text }) => (
              <button
                key={title}
                type="button"
                className="panel example"
                onClick={() => void say({ text, images: [], isLater: false })}
              >
                <strong>{title}</strong>
                <span className="quiet small">{text}</span>
              </button>
            ))}
          </section>
        ) : null}
        {current === undefined ? null : <FirstRun workspace={current} />}
        {isFirst ? null : (
          <ul className="home-agents" aria-label="Agents of this workspace">
            {agents.slice(0, 24).map(({ name, icon, description }) => (
              <li key={name} title={description}>
                <AgentTile icon={icon} agent={name} /> {name}
              </li>
            ))}
          </ul>
        )}
        {current?.problems.map((problem) => (
          <div key={problem} className="note" data-status="timeout">
            <Glyph status="timeout" />
            <div>{problem}</div>
          </div>
        ))}
        {current === undefined || current.untrusted.length === 0 ? null : (
          <div className="note" data-status="waiting">
            <Glyph status="waiting" />
            <div>
              <strong>This folder brings {current.untrusted.length} things that are not trusted yet</strong> and are left out
              until you say yes in a terminal: <code>retinue trust</code>.
            </div>
          </div>
        )}
      </div>
    </main>
  );
};
