/**
 * How one call carries out work of many parts. Each part is a recorded call of ours, and what it starts is found again by its id: a call that is made
 * again after a crash goes through its parts once more, and those that are done give what they gave.
 */
import type { Aside } from "@retinue/protocol";
import { planKey } from "../plan/plan-key.ts";
import type { Answered } from "./answered.ts";
import { askHuman } from "./ask-human.ts";
import type { LiveRun } from "./live-run.ts";
import { Parked } from "./parked.ts";
import type { Conduct, Part, PartAnswer } from "./parts.ts";

export const createConduct = (run: LiveRun): Conduct => {
  const { state, note, flush, watch } = run;

  const begin = ({ callId, tool, input }: Part, aside: Aside = "plan"): void => {
    if (!state.asides.has(callId)) note({ type: "tool.started", callId, tool, input, effect: "read", repeatable: true, aside });
  };
  const end = ({ callId, tool }: Part, answer: Answered, aside: Aside = "plan"): void => {
    if (state.asides.get(callId)?.settled) return;
    note({ type: "tool.settled", callId, tool, ...run.clean(answer), aside, activeMs: watch.activeMs() });
  };

  return {
    tell: (body) => {
      if (!state.toldOfPlans.has(planKey(body))) note(body);
    },
    part: async (part, work, toAnswer) => {
      begin(part);
      await flush();
      const worked = await work();
      end(part, toAnswer(worked));
      await flush();
      return worked;
    },
    once: async (part, aside, work) => {
      const settled = (): PartAnswer | null => state.asides.get(part.callId)?.settled ?? null;
      const known = settled();
      if (known) return known;
      begin(part, aside);
      await flush();
      const answer = await work();
      end(part, answer, aside);
      await flush();
      return settled() ?? answer;
    },
    ask: async (part) => {
      const { callId, tool, input } = part;
      if (state.spec.grant.approve === "all") return null;
      const known = state.asides.get(callId)?.settled;
      if (known) return known.outcome === "ok" ? null : textOf(known);
      const act = { callId, tool, effect: "execute", input, paths: [], hosts: [] } as const;
      const asked = await askHuman(run, { callId, tool: { name: tool, effect: "execute" }, act });
      if (asked.type === "parked") throw new Parked(asked.on);
      begin(part);
      end(part, asked.type === "allowed" ? ALLOWED : asked.answer);
      await flush();
      return asked.type === "allowed" ? null : textOf(asked.answer);
    },
  };
};

const ALLOWED: Answered = { outcome: "ok", content: [{ type: "text", text: "allowed" }] };

const textOf = ({ content }: Pick<Answered, "content">): string =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
