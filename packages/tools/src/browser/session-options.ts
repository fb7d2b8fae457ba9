/** How the browser of one session looks and behaves. */
import type { BrowserSurroundings, DialogAnswer, KnownElement } from "@retinue/protocol/test-case";
import { RetinueError } from "@retinue/protocol";
import type { BrowserContextOptions } from "playwright-core";
import type { SecretValues } from "../fill-secrets.ts";
import type { Inbox } from "../one-time-code/inbox.ts";

/** What a browser kept of a login: cookies, local storage and databases. */
export type StorageState = Exclude<BrowserContextOptions["storageState"], string | undefined>;

export type BrowserSessionOptions = BrowserSurroundings & {
  /** Relative addresses are taken from it. */
  readonly baseUrl?: string | undefined;
  /** Hosts that may be reached although they are private, like 127.0.0.1:8080, beside those of the settings. */
  readonly allowHosts?: readonly string[] | undefined;
  /** How dialogs are answered; one that nothing is said of is dismissed, and told. */
  readonly dialogs?: readonly DialogAnswer[] | undefined;
  readonly storageState?: StorageState | undefined;
  /** What `{{secret:NAME}}` may stand for, beside the workspace's own. */
  readonly secrets?: SecretValues | undefined;
  /** Where codes of `{{mail-code:ADDRESS}}` come from, and where they stand in a mail. */
  readonly inbox?: Inbox | undefined;
  readonly mailPattern?: string | undefined;
  /** Where recorded acts are done again: their elements as they were, and whether one may be found by something else than its role and name. */
  readonly recorded?: { readonly elements: readonly KnownElement[]; readonly mayHeal: boolean } | undefined;
  /** Whether a trace of Playwright is recorded, without secrets and without pictures. */
  readonly trace?: boolean | undefined;
  /** Whether a video of what the tabs show is recorded. */
  readonly video?: boolean | undefined;
};

/** Whether a browser can look like a device of this name. */
export const isDevice = async (name: string): Promise<boolean> => Object.hasOwn((await import("playwright-core")).devices, name);

const VIEWPORT = { width: 1280, height: 720 };

export const toContextOptions = async (
  options: BrowserSessionOptions,
  proxy: NonNullable<BrowserContextOptions["proxy"]>,
): Promise<BrowserContextOptions> => {
  const { viewport, device, locale, timezone, colorScheme, baseUrl, storageState } = options;
  const { devices } = await import("playwright-core");
  const known = device === undefined ? {} : devices[device];
  if (!known)
    throw new RetinueError("tool_failed", `There is no device "${device}" that a browser could look like.`, {
      hint: `Some that there are: ${Object.keys(devices).slice(0, 8).join(", ")}.`,
    });
  return {
    viewport: VIEWPORT,
    ...known,
    ...(viewport === undefined ? {} : { viewport }),
    ...(locale === undefined ? {} : { locale }),
    ...(timezone === undefined ? {} : { timezoneId: timezone }),
    ...(colorScheme === undefined ? {} : { colorScheme }),
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(storageState === undefined ? {} : { storageState }),
    acceptDownloads: true,
    proxy,
  };
};
