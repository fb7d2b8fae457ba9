/** What runs are called: by their agent, with a number where several sub-agents of a session have the same one. */
import { toPrintable } from "@retinue/client/text";
import type { RunId } from "@retinue/protocol";

export type RunNames = {
  readonly add: (runId: RunId, agent: string, depth: number) => void;
  /** `executor #2`; `executor` where there is one. */
  readonly nameOf: (run: { readonly runId: RunId; readonly agent: string }) => string;
};

export const createRunNames = (): RunNames => {
  const counts = new Map<string, number>();
  const numbers = new Map<RunId, number>();
  return {
    add: (runId, agent, depth) => {
      // The main agent's runs are the turns of one conversation.
      if (depth === 0 || numbers.has(runId)) return;
      const number = (counts.get(agent) ?? 0) + 1;
      counts.set(agent, number);
      numbers.set(runId, number);
    },
    nameOf: ({ runId, agent }) => {
      const number = numbers.get(runId);
      const name = toPrintable(agent, "line");
      return number === undefined || (counts.get(agent) ?? 0) < 2 ? name : `${name} #${number}`;
    },
  };
};
