/** What a server's tool does to the world, from what the server says of it. What is not said counts as destructive and open to the world. */
import type { ToolAnnotations } from "@modelcontextprotocol/client";
import type { ToolEffect } from "@retinue/protocol";

export type EffectOptions = {
  readonly annotations: ToolAnnotations | undefined;
  /** A server on another machine: whatever its tools are given leaves this one. */
  readonly isRemote: boolean;
};

export const toEffect = ({ annotations = {}, isRemote }: EffectOptions): ToolEffect => {
  if (annotations.readOnlyHint === true) return !isRemote && annotations.openWorldHint === false ? "read" : "network";
  const isTame = annotations.destructiveHint === false && annotations.openWorldHint === false;
  return isTame && !isRemote ? "write" : "execute";
};
