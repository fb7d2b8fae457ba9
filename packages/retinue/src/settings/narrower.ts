/**
 * Which way is narrower, for every key that settings have. A project that is not trusted may only narrow what holds without it, and what is
 * trusted only adds: both are decided here, key by key, and a new key of the schema does not compile without its rule.
 */
import { APPROVE_MODES } from "@retinue/protocol";
import { BlockList, isIP } from "node:net";
import type { z } from "zod";
import type { Raw } from "./layer.ts";
import { isRawMap } from "./layer.ts";
import type { settingsSchema } from "./schema.ts";

export type Narrowed = {
  /** What holds of it without trust; absent where what is below stays. */
  readonly kept?: Raw;
  /** What of it would widen what is below. */
  readonly asked?: Raw;
  /** What it may narrow that no settings know: what is larger there is held to it. */
  readonly ceiling?: Raw;
};

export type NarrowContext = {
  /** Whether a provider of this name is the user's, or built in. */
  readonly isKnownProvider: (name: string) => boolean;
};

export type Rule = {
  readonly type: "rule";
  /** `below`: what holds without the project. */
  readonly narrow: (wanted: Raw, below: Raw | undefined, context: NarrowContext) => Narrowed;
  /** What holds of it with trust; undefined where trust changes nothing, so that only a person widens it. */
  readonly add?: (wanted: Raw, below: Raw | undefined) => Raw;
};

/** One rule for each key, or one for a whole section. */
type RulesOf<T> = Rule | (string extends keyof T ? never : { readonly [Key in keyof T]-?: RuleOrSection<NonNullable<T[Key]>> });
type RuleOrSection<T> = T extends readonly unknown[] | string | number | boolean ? Rule : RulesOf<T>;
type Rules = Exclude<RulesOf<z.infer<typeof settingsSchema>>, Rule>;

const wantedHolds = (wanted: Raw): Raw => wanted;

/** Says which, not how much: neither way is wider. */
const choice: Rule = { type: "rule", narrow: (wanted) => ({ kept: wanted }), add: wantedHolds };

/** Whatever it says starts, reaches or stores something. */
const needsTrust: Rule = { type: "rule", narrow: (wanted) => ({ asked: wanted }), add: wantedHolds };

const listOf = (value: Raw | undefined): readonly Raw[] => (Array.isArray(value) ? (value as readonly Raw[]) : []);

const union = (wanted: Raw, below: Raw | undefined): Raw => [...new Set([...listOf(below), ...listOf(wanted)])];

/** A list in which every item allows or starts something more. */
const needsTrustToAdd: Rule = { ...needsTrust, add: union };

/** A list in which every item forbids something more. */
const longer: Rule = { type: "rule", narrow: (wanted, below) => ({ kept: union(wanted, below) }), add: union };

const NOBODY: NarrowContext = { isKnownProvider: () => false };

const smaller: Rule = {
  type: "rule",
  narrow: (wanted, below) => (below === undefined || Number(wanted) <= Number(below) ? { kept: wanted } : { asked: wanted }),
  add: wantedHolds,
};

/** Limits of settings stand above those of an agent's file: where the user has set none, a number could be larger than the file's, and is only a ceiling. */
const smallerThanSet: Rule = {
  ...smaller,
  narrow: (wanted, below) => (below === undefined ? { asked: wanted, ceiling: wanted } : smaller.narrow(wanted, below, NOBODY)),
};

const onlyFalse: Rule = {
  type: "rule",
  narrow: (wanted, below) => (wanted === false || below === true ? { kept: wanted } : { asked: wanted }),
  add: wantedHolds,
};

/** From the narrowest on. */
const ordered = (words: readonly string[]): Rule => {
  const rank = (value: Raw): number => words.findIndex((word) => word === value);
  return {
    type: "rule",
    narrow: (wanted, below) => (below === undefined || rank(wanted) <= rank(below) ? { kept: wanted } : { asked: wanted }),
    add: wantedHolds,
  };
};

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const isOnThisMachine = (baseUrl: Raw | undefined): boolean => {
  if (baseUrl === undefined) return true;
  if (typeof baseUrl !== "string" || !URL.canParse(baseUrl)) return false;
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, "");
  return host === "localhost" || (isIP(host) !== 0 && loopback.check(host, isIP(host) === 6 ? "ipv6" : "ipv4"));
};

const REACHES_OUT = ["apiKeyEnv", "apiKeyFile", "apiKeyCommand", "headers", "query", "proxy", "ca"];

/** A provider under a name that nobody else uses, on this machine, that names no key, no header and no way of its own. It is sent no key either. */
const isHarmless = (name: string, provider: Raw, { isKnownProvider }: NarrowContext): boolean =>
  !isKnownProvider(name) &&
  isRawMap(provider) &&
  REACHES_OUT.every((key) => provider[key] === undefined) &&
  isOnThisMachine(provider["baseUrl"]);

const providers: Rule = {
  type: "rule",
  narrow: (wanted, _below, context) => {
    const entries = Object.entries(isRawMap(wanted) ? wanted : {});
    const kept = entries.filter(([name, provider]) => isHarmless(name, provider, context));
    const asked = entries.filter(([name, provider]) => !isHarmless(name, provider, context));
    return {
      ...(kept.length > 0 && { kept: Object.fromEntries(kept) }),
      ...(asked.length > 0 && { asked: Object.fromEntries(asked) }),
    };
  },
  add: wantedHolds,
};

/** A name with a slash could stand in the place of a model that the user has named by its provider. */
const models: Rule = {
  type: "rule",
  narrow: (wanted) => {
    const entries = Object.entries(isRawMap(wanted) ? wanted : {});
    const kept = entries.filter(([name]) => !name.includes("/"));
    const asked = entries.filter(([name]) => name.includes("/"));
    return {
      ...(kept.length > 0 && { kept: Object.fromEntries(kept) }),
      ...(asked.length > 0 && { asked: Object.fromEntries(asked) }),
    };
  },
  add: wantedHolds,
};

export const NARROWER: Rules = {
  model: choice,
  models,
  // A price of nothing would lift a limit of money.
  catalogue: needsTrust,
  thinking: choice,
  providers,
  retry: { attempts: smaller, maxWaitMs: smaller, unreachableMs: smaller },
  streamIdleMs: smaller,
  limits: {
    iterations: smallerThanSet,
    toolCalls: smallerThanSet,
    durationMs: smallerThanSet,
    contextTokens: smallerThanSet,
    tokens: smallerThanSet,
    costUsd: smallerThanSet,
  },
  agent: {
    maxDepth: smaller,
    maxConcurrent: smaller,
    maxChildren: smaller,
    statsInPrompt: onlyFalse,
    resultTokens: smaller,
    presets: needsTrust,
  },
  agents: needsTrust,
  plan: { maxSteps: smaller, maxRecoveries: smaller, maxConcurrent: smallerThanSet, stateChars: smaller },
  store: { path: needsTrust, url: needsTrust, synchronous: ordered(["FULL", "NORMAL"]) },
  mcpServers: needsTrust,
  hooks: needsTrustToAdd,
  web: { allowHosts: needsTrustToAdd, denyHosts: longer, search: needsTrust },
  browser: {
    enabled: onlyFalse,
    executable: needsTrust,
    headless: choice,
    allowHosts: needsTrustToAdd,
    secretOrigins: needsTrust,
  },
  desktop: { enabled: onlyFalse, display: needsTrust },
  visionModel: choice,
  databases: needsTrust,
  adminDatabases: needsTrustToAdd,
  approvals: { unattended: ordered(["deny", "park"]), expiresMs: smaller },
  serve: { takeUp: ordered(["none", "news", "all"]) },
  // Trust is for what a project brings; what passes without a question is for a person alone to say.
  approve: { type: "rule", narrow: ordered(APPROVE_MODES).narrow },
  unprotected: needsTrustToAdd,
  sandbox: { loopback: needsTrustToAdd, read: needsTrustToAdd, unixSockets: onlyFalse },
  allowUnsandboxed: onlyFalse,
  terminal: { fullscreen: choice },
};
