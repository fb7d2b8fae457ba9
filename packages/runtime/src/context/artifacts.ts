/** Where long texts and bytes are kept that do not enter a context. */
import type { ArtifactId, ArtifactRef } from "@retinue/protocol";

export type Artifacts = {
  readonly write: (data: string | Uint8Array, mediaType?: string) => Promise<ArtifactRef>;
  /** Undefined where there is no such text in this session. */
  readonly read: (artifactId: ArtifactId) => Promise<string | undefined>;
};
