/** The agents, skills and tools of a workspace: what each may do, the limits that hold, what the check finds, and the file to edit. */
import { useState } from "react";
import { Link } from "../parts/router.tsx";
import { Glyph } from "../parts/status.tsx";
import { useCall } from "../server/use-call.ts";
import { useWorkspaces } from "../server/workspaces.ts";
import { AgentTile } from "../tree/agent-icon.tsx";
import { formatLimit, LIMIT_WORDS } from "../tree/run-figures.ts";
import { ErrorNote } from "../tree/tool-card.tsx";
import { AgentEditor } from "./agent-editor.tsx";
import type { LimitName, Limits } from "@retinue/protocol";

export const formatLimits = (limits: Limits): string =>
  (Object.entries(limits) as [LimitName, number | undefined][])
    .flatMap(([limit, value]) => (value === undefined ? [] : [`${formatLimit(limit, value)} ${LIMIT_WORDS[limit]}`]))
    .join(" · ");

const Agents = ({ chosen }: { readonly chosen: string }) => {
  const { current } = useWorkspaces();
  const { value, error, again } = useCall(
    "listAgents",
    current === undefined ? null : { params: { workspaceId: current.workspaceId } },
  );
  return (
    <div className={`agents${chosen === "" ? "" : " has-agent"}`}>
      <div className="agents-list">
        {error === null ? null : <ErrorNote error={error} />}
        {value?.problems.slice(0, 20).map((problem, at) => (
          <div key={at} className="note" data-status={problem.severity === "error" ? "failed" : "timeout"}>
            <Glyph status={problem.severity === "error" ? "failed" : "timeout"} />
            <div>
              {problem.message}
              <div className="quiet small mono">
                {problem.file}:{problem.line}
              </div>
            </div>
          </div>
        ))}
        <ul className="agent-cards">
          {value?.agents.map((agent) => (
            <li key={agent.name}>
              <Link
                href={`/agents/${agent.name}`}
                className="agent-card"
                aria-current={agent.name === chosen ? "true" : undefined}
              >
                <AgentTile icon={agent.icon} agent={agent.name} />
                <span className="grow">
                  <span className="line">
                    <strong>{agent.name}</strong>
                    <span className="quiet small">{agent.origin}</span>
                  </span>
                  <span className="clamp quiet small">{agent.description}</span>
                  <span className="quiet small">
                    {agent.tools.length} tools{agent.delegates.length === 0 ? "" : ` · may start ${agent.delegates.length}`}
                    {formatLimits(agent.limits) === "" ? "" : ` · ${formatLimits(agent.limits)}`}
                  </span>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
      {chosen === "" || current === undefined ? null : (
        <AgentEditor key={chosen} workspaceId={current.workspaceId} name={chosen} onSaved={again} />
      )}
    </div>
  );
};

const Skills = () => {
  const { current } = useWorkspaces();
  const { value } = useCall("listSkills", current === undefined ? null : { params: { workspaceId: current.workspaceId } });
  if (value?.skills.length === 0)
    return <p className="quiet">No skills. A folder with a SKILL.md below .retinue/skills is one.</p>;
  return (
    <ul className="plain-list">
      {value?.skills.map(({ name, description, origin }) => (
        <li key={name}>
          <strong>{name}</strong> <span className="quiet small">{origin}</span>
          <p className="small">{description}</p>
        </li>
      ))}
    </ul>
  );
};

const Tools = () => {
  const { current } = useWorkspaces();
  const { value } = useCall("listTools", current === undefined ? null : { params: { workspaceId: current.workspaceId } });
  return (
    <ul className="plain-list">
      {value?.tools.map(({ name, description, effect }) => (
        <li key={name}>
          <span className="line">
            <strong className="mono">{name}</strong>
            <span className="chip">{effect}</span>
          </span>
          <p className="small clamp">{description}</p>
        </li>
      ))}
    </ul>
  );
};

const PARTS = ["Agents", "Skills", "Tools"] as const;

export const AgentsScreen = ({ name }: { readonly name: string }) => {
  const [part, setPart] = useState<(typeof PARTS)[number]>("Agents");
  return (
    <main className="screen scroll">
      <div className="screen-inner is-wide">
        <h1>Agents</h1>
        <div className="tabs" role="tablist" aria-label="Agents, skills and tools">
          {PARTS.map((one) => (
            <button key={one} type="button" role="tab" aria-selected={part === one} onClick={() => setPart(one)}>
              {one}
            </button>
          ))}
        </div>
        {part === "Agents" ? <Agents chosen={name} /> : part === "Skills" ? <Skills /> : <Tools />}
      </div>
    </main>
  );
};
