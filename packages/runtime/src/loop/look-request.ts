/** How a tool asks a model about a picture. */
import type { Usage, UserPart } from "@retinue/protocol";

export type Looked = {
  readonly text: string;
  readonly model: string;
  readonly spent: { readonly usage: Usage; readonly costUsd: number | null };
};

export type Look = (
  question: {
    readonly text: string;
    readonly image: Extract<UserPart, { type: "image" }>;
    /** The model to ask; without it the run's own, if it reads images. */
    readonly model?: string | undefined;
  },
  signal: AbortSignal,
) => Promise<Looked | undefined>;
