/** What the tools of the screen share. */
import type { Resource } from "@retinue/runtime";
import type { SecretValues } from "../fill-secrets.ts";
import type { DesktopSession } from "./desktop-session.ts";

export type DesktopToolOptions = {
  readonly desktop: Resource<DesktopSession>;
  readonly visionModel: string | undefined;
  readonly secrets: () => SecretValues;
};
