import type { ToolAnnotations } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { toEffect } from "./to-effect.ts";

it.each<[string, ToolAnnotations | undefined, string, string]>([
  ["nothing", undefined, "execute", "execute"],
  ["nothing in particular", {}, "execute", "execute"],
  ["that it does more than read", { readOnlyHint: false }, "execute", "execute"],
  ["that it destroys nothing", { destructiveHint: false }, "execute", "execute"],
  ["that it keeps to itself", { openWorldHint: false }, "execute", "execute"],
  ["that it destroys nothing and keeps to itself", { destructiveHint: false, openWorldHint: false }, "write", "execute"],
  ["that it only reads", { readOnlyHint: true }, "network", "network"],
  ["that it only reads and keeps to itself", { readOnlyHint: true, openWorldHint: false }, "read", "network"],
  ["that it only reads, out in the world", { readOnlyHint: true, openWorldHint: true }, "network", "network"],
])(
  "N8: a tool that says %s counts as what it may do at worst, of a server that reaches no host and of any other",
  (_what, annotations, here, there) => {
    expect(toEffect({ annotations, reachesHosts: false })).toBe(here);
    expect(toEffect({ annotations, reachesHosts: true })).toBe(there);
  },
);
