/** What a human's answer covers: the act as it was shown, or acts like it in the run or the session. */
import { hash } from "node:crypto";
import type { ProposedAct } from "@retinue/protocol";

/** Of the act as it will run, without the call's id: the same act has the same hash whoever proposes it. */
export const hashAct = ({ tool, effect, input, paths, hosts, scripts, unsandboxed }: ProposedAct): string =>
  hash("sha256", JSON.stringify({ tool, effect, input, paths, hosts, scripts, unsandboxed }), "hex");

/**
 * Acts with the same key are alike. Commands and requests are alike only if they are the same to the letter: who allowed one command has
 * allowed no other. Writes by one tool are alike, since the grant says where they may go; those to protected paths only if they are the same.
 */
export const likenessOf = (act: ProposedAct): string =>
  // Reads are asked about for what they are run without, which is the same for all of them.
  act.effect === "read"
    ? `read ${act.tool}`
    : act.effect === "write" && act.protectedPaths === undefined
      ? `write ${act.tool}`
      : `${act.effect} ${act.tool} ${hashAct(act)}`;
