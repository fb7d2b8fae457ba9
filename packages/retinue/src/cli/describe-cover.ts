/** What each answer to a question covers, in words: this act alone, or acts like it. It follows `likenessOf`, by which acts are held to be alike. */
import type { ProposedAct } from "@retinue/protocol";
import { toPrintable } from "../terminal/printable.ts";

/** Of an answer that holds for longer than once. */
export const describeAlike = ({ effect, tool, protectedPaths, askedBy, hosts, input }: ProposedAct): string => {
  const name = toPrintable(tool, "line");
  if (askedBy !== undefined && effect !== "execute") return `this same call of ${name}`;
  if (effect === "read") return `whatever ${name} reads`;
  if (effect === "write" && protectedPaths === undefined) return `every write with ${name} that the agent may do`;
  if (effect === "write")
    return `this same write of ${(protectedPaths ?? []).map((file) => toPrintable(file, "line")).join(", ")}`;
  if (effect === "network")
    return `this same call of ${name}${hosts.length === 0 ? "" : ` to ${hosts.map((host) => toPrintable(host, "line")).join(", ")}`}`;
  const isCommand = typeof input === "object" && input !== null && "command" in input;
  return isCommand ? "this very command, with its files as they are then" : `this same call of ${name}`;
};
