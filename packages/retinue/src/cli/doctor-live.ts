/**
 * A few tiny real requests to each model that is set up here, as `retinue doctor --live` makes them: what comes back, how long it took, or the exact
 * error, and what the model can do. Nothing is tried twice, since whoever asks wants to see what happens, and nothing is sent but a sentence, a tool and a square.
 */
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type { ErrorValue } from "@retinue/protocol";
import { toErrorValue } from "@retinue/protocol";
import type { Abilities } from "./doctor-abilities.ts";
import { tryAbilities } from "./doctor-abilities.ts";
import type { Settings } from "../settings/settings.ts";

export type LiveReport = { readonly model: string } & (
  | {
      readonly ok: true;
      readonly firstMs: number;
      readonly totalMs: number;
      readonly costUsd: number | null;
      readonly abilities: Abilities;
    }
  | { readonly ok: false; readonly totalMs: number; readonly error: ErrorValue }
);

const MOST_MS = 30_000;
const REQUEST = {
  system: "Answer with one word.",
  messages: [{ role: "user", content: [{ type: "text", text: "Say: ok" }] }],
  tools: [],
  toolChoice: "auto",
  maxOutputTokens: 64,
} as const;

export type LiveOptions = {
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
  /** The one that a session would use. */
  readonly model: string;
  readonly agents: Iterable<AgentDefinition>;
};

/** The model of a session, those with short names, and those that agents ask for; each once, in that order. */
export const tryModels = async ({ settings, env, model, agents }: LiveOptions): Promise<readonly LiveReport[]> => {
  const { createModels } = await import("@retinue/model");
  const models = createModels({ ...settings, retry: { ...settings.retry, attempts: 1 }, env });
  const wanted = [
    model,
    ...Object.keys(settings.models),
    ...[...agents].flatMap((agent) => [agent.model ?? [], agent.fallbacks].flat()),
  ];
  const reports: LiveReport[] = [];
  const seen = new Set<string>();
  for (const name of wanted) {
    const target = settings.models[name] ?? name;
    if (seen.has(target)) continue;
    seen.add(target);
    reports.push(await tryModel(name, async () => models.resolve(name)));
  }
  return reports;
};

type Resolve = () => Promise<import("@retinue/model").Model>;

const tryModel = async (name: string, resolve: Resolve): Promise<LiveReport> => {
  const begun = performance.now();
  const past = (): number => Math.round(performance.now() - begun);
  const signal = AbortSignal.timeout(MOST_MS);
  let firstMs: number | undefined;
  try {
    const model = await resolve();
    for await (const chunk of model.stream(REQUEST, signal)) {
      firstMs ??= past();
      if (chunk.type !== "answer") continue;
      const totalMs = past();
      const abilities = await tryAbilities(model, chunk, AbortSignal.timeout(MOST_MS));
      return { model: name, ok: true, firstMs, totalMs, costUsd: chunk.costUsd, abilities };
    }
    throw new Error("The answer never ended.");
  } catch (thrown) {
    const error = signal.aborted
      ? { code: "model_stream_stalled" as const, message: `There was no whole answer within ${MOST_MS / 1000} s.` }
      : toErrorValue(thrown);
    return { model: name, ok: false, totalMs: past(), error };
  }
};
