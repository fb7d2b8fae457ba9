/** All that a project would load, start or set if it were trusted, and is not trusted for yet. */
import type { TrustClaim } from "@retinue/confine/trust";
import { createTrustStore } from "@retinue/confine/trust";
import { join } from "node:path";
import { readFileLayer } from "../../settings/file-layer.ts";
import { toSettingsClaim } from "../../settings/project-trust.ts";
import type { Inventory } from "../inventory.ts";

/** `projectFile`: the settings of the project, where it has some. */
export const readUntrustedClaims = async (
  { untrusted, home }: Pick<Inventory, "untrusted" | "home">,
  projectFile: string | undefined,
): Promise<readonly TrustClaim[]> => {
  const layer = projectFile === undefined ? undefined : await readFileLayer(projectFile, "project");
  const claim = layer && projectFile !== undefined ? await toSettingsClaim(layer, projectFile) : undefined;
  if (!claim || (await createTrustStore({ file: join(home, "trust.json") }).isTrusted(claim))) return untrusted;
  return [claim, ...untrusted];
};
