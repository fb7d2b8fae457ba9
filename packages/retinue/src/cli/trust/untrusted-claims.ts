/** All that a project would load, start or set if it were trusted, and is not trusted for yet. */
import type { TrustClaim } from "@retinue/confine/trust";
import type { LoadedSettings } from "../../settings/load-settings.ts";
import type { Inventory } from "../inventory.ts";

export const toUntrustedClaims = (
  { untrusted }: Pick<Inventory, "untrusted">,
  settings: Pick<LoadedSettings, "untrusted">,
): readonly TrustClaim[] => (settings.untrusted ? [settings.untrusted, ...untrusted] : untrusted);
