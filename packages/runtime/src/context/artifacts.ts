/** Where long texts are kept that do not enter a context. */
import type { ArtifactId, ArtifactRef } from "@retinue/protocol";

export type Artifacts = {
  readonly write: (text: string) => Promise<ArtifactRef>;
  /** Undefined where there is no such artifact in this session. */
  readonly read: (artifactId: ArtifactId) => Promise<string | undefined>;
};
