/**
 * Settings of a project that could send keys elsewhere, start programs or reach what is private. They hold only where the user has said
 * that this very content is trusted; whoever wrote the project is not whoever runs it.
 */
import { realpath } from "node:fs/promises";
import { BlockList, isIP } from "node:net";
import { dirname, join } from "node:path";
import type { TrustClaim } from "@retinue/confine/trust";
import { REDACTED } from "../secrets/create-redactor.ts";
import { secretsOfValue } from "../secrets/secret-value.ts";
import type { Layer, Raw } from "./layer.ts";
import { isRawMap } from "./layer.ts";
import { withoutPassword } from "./without-password.ts";

const NEED_TRUST: ReadonlySet<string> = new Set([
  "mcpServers",
  "hooks",
  "web",
  "databases",
  "store",
  "unprotected",
  "sandbox",
  "allowUnsandboxed",
]);

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

export type Distrusted = { readonly layer: Layer; readonly warnings: readonly string[] };

/** What of the project needs trust, or nothing. */
export const toSettingsClaim = async (project: Layer, file: string): Promise<TrustClaim | undefined> => {
  const asked = Object.fromEntries(
    Object.entries(project.tree).flatMap(([key, value]) => {
      if (key === "providers")
        return isRawMap(value)
          ? [[key, Object.fromEntries(Object.entries(value).filter(([, one]) => !isHarmlessProvider(one)))]]
          : [];
      return NEED_TRUST.has(key) ? [[key, value]] : [];
    }),
  ) as Record<string, Raw>;
  if (Object.values(asked).every((value) => isRawMap(value) && Object.keys(value).length === 0)) return undefined;
  const { digestOf } = await import("@retinue/confine/trust");
  return {
    project: await realpath(dirname(file)),
    subject: "settings",
    // What was read from YAML is JSON.
    hash: digestOf(asked),
    shown: `${file}: ${withoutPassword(JSON.stringify(asked, hideSecret))}`,
  };
};

/** A secret that stands in the file in plain is not told; which variable one is taken from is. */
const hideSecret = (key: string, value: unknown): unknown =>
  typeof value === "string" && !/\$\{|:\/\//.test(value) && secretsOfValue(key, value).length > 0 ? REDACTED : value;

/** The project's settings without what is not trusted. */
export const distrust = async (project: Layer, file: string, home: string): Promise<Distrusted> => {
  const claim = await toSettingsClaim(project, file);
  if (!claim) return { layer: project, warnings: [] };
  const { createTrustStore } = await import("@retinue/confine/trust");
  if (await createTrustStore({ file: join(home, "trust.json") }).isTrusted(claim)) return { layer: project, warnings: [] };
  const warnings: string[] = [];
  const tree = Object.fromEntries(
    Object.entries(project.tree).flatMap(([key, value]) => {
      const kept =
        key === "providers" && isRawMap(value)
          ? Object.fromEntries(Object.entries(value).filter(([, one]) => isHarmlessProvider(one)))
          : value;
      const dropped =
        NEED_TRUST.has(key) || (isRawMap(value) && isRawMap(kept) && Object.keys(kept).length < Object.keys(value).length);
      if (dropped)
        warnings.push(
          `${project.where([key], "key")}: ${key} is not followed: this project is not trusted. \`retinue trust\` shows what it asks for.`,
        );
      return NEED_TRUST.has(key) ? [] : [[key, kept]];
    }),
  );
  return { layer: { ...project, tree }, warnings };
};

/** One on this machine that is given no key and no header. */
const isHarmlessProvider = (provider: Raw | undefined): boolean => {
  if (!isRawMap(provider) || provider["apiKeyEnv"] !== undefined || provider["headers"] !== undefined) return false;
  const { baseUrl } = provider;
  if (baseUrl === undefined) return true;
  if (typeof baseUrl !== "string" || !URL.canParse(baseUrl)) return false;
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, "");
  return host === "localhost" || (isIP(host) !== 0 && loopback.check(host, isIP(host) === 6 ? "ipv6" : "ipv4"));
};
