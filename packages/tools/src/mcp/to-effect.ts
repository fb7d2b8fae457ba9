/** What a server's tool does to the world, from what the server says of it. What is not said counts as destructive and open to the world. */
import type { ToolAnnotations } from "@modelcontextprotocol/client";
import type { ToolEffect } from "@retinue/protocol";

export type EffectOptions = {
  readonly annotations: ToolAnnotations | undefined;
  /** Whatever its tools are given may leave this machine. False only where a sandbox keeps the server from every host. */
  readonly reachesHosts: boolean;
};

export const toEffect = ({ annotations = {}, reachesHosts }: EffectOptions): ToolEffect => {
  if (annotations.readOnlyHint === true) return !reachesHosts && annotations.openWorldHint === false ? "read" : "network";
  const isTame = annotations.destructiveHint === false && annotations.openWorldHint === false;
  return isTame && !reachesHosts ? "write" : "execute";
};
