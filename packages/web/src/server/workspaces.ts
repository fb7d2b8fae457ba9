/** The folders that the server works in, and the one that new tasks go to. */
import type { RouteOutput } from "@retinue/protocol/routes";
import { createContext, useContext } from "react";

export type WorkspaceItem = RouteOutput<"listWorkspaces">["workspaces"][number];
export type AgentItem = RouteOutput<"listAgents">["agents"][number];

export type Workspaces = {
  readonly all: readonly WorkspaceItem[];
  readonly current: WorkspaceItem | undefined;
  readonly choose: (workspaceId: string) => void;
  readonly agents: readonly AgentItem[];
  readonly again: () => void;
};

export const WorkspacesContext = createContext<Workspaces>({
  all: [],
  current: undefined,
  choose: () => undefined,
  agents: [],
  again: () => undefined,
});

export const useWorkspaces = (): Workspaces => useContext(WorkspacesContext);

export const useIconOf = (): ((agent: string) => string) => {
  const { agents } = useWorkspaces();
  return (agent) => agents.find(({ name, aliases }) => name === agent || aliases.includes(agent))?.icon ?? "";
};
