/** What a model behind a wire protocol is made from. */
import type { Usage } from "@retinue/protocol";
import type { ModelTraits } from "../catalogue/model-traits.ts";
import type { Gate } from "../gate.ts";
import type { CountAnswer } from "../plausible-usage.ts";
import type { RetrySettings } from "../retry.ts";
import type { Reach } from "../transport/endpoint.ts";
import type { Timing } from "../transport/timing.ts";

export type WireOptions = {
  /** `provider/model`. */
  readonly id: string;
  /** The name by which the provider knows the model. */
  readonly model: string;
  readonly baseUrl: string;
  readonly provider: string;
  readonly apiKey?: string;
  /** Sent with every request; they win over our own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Handed on to `createEndpoint`. */
  readonly reach?: Reach;
  readonly gate: Gate;
  readonly retry: RetrySettings;
  /** How long the server may be silent, before its first byte too. */
  readonly streamIdleMs: number;
  readonly price: (usage: Usage) => number | null;
  /** What an answer is counted as; as the server says by default. */
  readonly count?: CountAnswer;
  readonly contextWindow?: number;
  /** How the model wants to be spoken to, where known. */
  readonly traits?: ModelTraits;
  /** What settings say that the server speaks. */
  readonly protocol?: "responses" | "chat";
  /** The system's by default. */
  readonly timing?: Timing;
};
