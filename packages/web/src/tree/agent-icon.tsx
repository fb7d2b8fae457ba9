/** The sign of an agent: the one of its file, or the first letter of its name. */
import { useScene } from "../session/session-context.ts";

export const AgentTile = ({ icon, agent }: { readonly icon: string; readonly agent: string }) => (
  <span className="agent-icon" aria-hidden="true">
    {icon === "" ? (agent[0] ?? "?").toUpperCase() : icon}
  </span>
);

export const AgentIcon = ({ agent }: { readonly agent: string }) => <AgentTile icon={useScene().iconOf(agent)} agent={agent} />;
