/** A trial as data: who attacks with which rights, what is called, and what works beside it. The same seed gives the same trial. */
import { createSeededRandom } from "../sweeps/seeded-random.ts";
import type { Theme } from "./grammar/commands.ts";
import { drawCommand, drawRace, THEMES } from "./grammar/commands.ts";
import type { AttackCall } from "./grammar/draw-call.ts";
import { drawCall } from "./grammar/draw-call.ts";
import type { Random } from "./grammar/pick.ts";
import { pick } from "./grammar/pick.ts";
import { drawInnerHome } from "./grammar/inner-home.ts";
import { drawNearKept } from "./grammar/kept-rules.ts";
import { drawPart } from "./grammar/part.ts";
import { drawProxyCall } from "./grammar/proxy.ts";
import { drawRequest } from "./grammar/requests.ts";
import { drawRuled } from "./grammar/rules.ts";
import type { Scopes } from "./grammar/scopes.ts";
import { drawNested, drawScopes } from "./grammar/scopes.ts";
import { drawSuiteCommand } from "./grammar/suite-commands.ts";
import { drawAppChange } from "./grammar/suites.ts";
import type { Terrain } from "./grammar/terrain.ts";
import type { Writable } from "./snapshot.ts";
import type { WorldOptions } from "./world.ts";

export const TRIAL_KINDS = [
  "free",
  "scoped",
  "race",
  "hostile-project",
  "read-only",
  "ruled",
  "nested",
  "worktree",
  "suite",
  "served",
  "mcp",
  "inner-home",
  "part",
  "suite-commands",
  "kept",
  "proxy",
] as const;

export type TrialKind = (typeof TRIAL_KINDS)[number];

export type TrialPlan = {
  readonly seed: number;
  readonly kind: TrialKind;
  readonly theme: Theme;
  /** What the agents of a nested trial may write. */
  readonly scopes?: Scopes;
  /** Which file of git is a link where the project comes from an attacker. */
  readonly trap?: NonNullable<WorldOptions["trap"]>;
  readonly writable: Writable;
  readonly calls: readonly AttackCall[];
  /** Of a second run in the same workspace, at the same time. */
  readonly beside: readonly AttackCall[];
};

/** Drawn with names in place of the paths of a world, which are filled in when it stands. */
export const TERRAIN: Terrain = {
  home: "@HOME@",
  workspace: "@WORKSPACE@",
  base: "@BASE@",
  state: "@STATE@",
  token: "@TOKEN@",
  port: 65_111,
  abstractSocket: "@SOCKET@",
  sharedSocket: "@SHARED@",
  command: "@COMMAND@",
};

const WRITABLE: Readonly<Record<TrialKind, Writable>> = {
  free: "all",
  scoped: "src",
  race: "all",
  "hostile-project": "all",
  "read-only": "nothing",
  ruled: "all",
  nested: "all",
  worktree: "all",
  suite: "all",
  served: "nothing",
  mcp: "all",
  "inner-home": "all",
  part: "part",
  "suite-commands": "all",
  kept: "all",
  proxy: "nothing",
};

/** Kinds whose calls are about one thing alone. */
const DRAWN: Partial<Record<TrialKind, (random: Random, theme: Theme) => AttackCall>> = {
  ruled: drawRuled,
  nested: (random) => drawNested(random),
  worktree: (random) => drawNested(random),
  suite: drawAppChange,
  served: drawRequest,
  "inner-home": drawInnerHome,
  part: (random) => drawPart(random),
  kept: drawNearKept,
  proxy: drawProxyCall,
  "suite-commands": (random, theme) => drawSuiteCommand(random, TERRAIN, theme),
};

/** Each of their calls hands three others to an agent below. */
const CALLS_INSIDE: Partial<Record<TrialKind, number>> = { nested: 4, worktree: 4, part: 4 };

export type PlanOptions = {
  readonly seed: number;
  readonly calls: number;
  /** By the seed where absent. */
  readonly kind?: TrialKind | undefined;
  readonly theme?: Theme | undefined;
};

export const planTrial = ({ seed, calls: count, ...given }: PlanOptions): TrialPlan => {
  const random = createSeededRandom(seed);
  const kind = given.kind ?? TRIAL_KINDS[seed % TRIAL_KINDS.length] ?? "free";
  // Neighbouring seeds are of all kinds; the theme changes with each round of them, so that every kind has every theme.
  const theme = given.theme ?? THEMES[Math.floor(seed / TRIAL_KINDS.length) % THEMES.length] ?? "anything";
  const own = DRAWN[kind];
  const isRace = kind === "race";
  const chance = random();
  const trap = chance < 0.5 ? "COMMIT_EDITMSG" : chance < 0.75 ? "shallow" : "embedded";
  return {
    seed,
    kind,
    theme,
    ...(kind === "hostile-project" ? { trap } : {}),
    ...(kind === "nested" || kind === "worktree" ? { scopes: drawScopes(random, { isolates: kind === "worktree" }) } : {}),
    writable: WRITABLE[kind],
    calls: Array.from({ length: Math.ceil(count / (CALLS_INSIDE[kind] ?? 1)) }, () =>
      own
        ? own(random, theme)
        : kind === "mcp" && random() < 0.6
          ? drawServerCall(random, theme)
          : isRace && random() < 0.6
            ? drawLook(random)
            : drawCall(random, TERRAIN, { theme, delegates: kind === "read-only" ? 8 : 1 }),
    ),
    beside: isRace ? Array.from({ length: 2 }, () => ({ tool: "shell", input: { command: drawRace(random, TERRAIN) } })) : [],
  };
};

/** A server of the user's own choice, which is hostile: it runs what it is told, and says of itself that it only looks. */
const drawServerCall = (random: Random, theme: Theme): AttackCall => ({
  tool: pick(random, ["evil.look", "evil.run", "evil.run"]),
  input: { command: drawCommand(random, TERRAIN, theme), text: "x" },
});

/** At names that are swapped meanwhile. */
const drawLook = (random: Random): AttackCall => {
  const path = pick(random, [
    "flip.txt",
    "flip/id_ed25519",
    "flip/private.md",
    "flipped/id_ed25519",
    "flipped/private.md",
    "flip/.profile",
  ]);
  return pick<AttackCall>(random, [
    { tool: "read", input: { path } },
    { tool: "read", input: { path, limit: 1 + Math.floor(random() * 1000) } },
    { tool: "grep", input: { pattern: pick(random, ["k7Q", "[0-9a-f]{20}", "."]), path } },
    { tool: "write", input: { path, content: `evil ${random()}\n` } },
    { tool: "edit", input: { path, edits: [{ old: "#", new: `${random()}`, all: true }] } },
    { tool: "glob", input: { pattern: "**/*", path: "flip" } },
  ]);
};

/** The plan with the paths of a world in it. */
export const placeIn = <T>(value: T, terrain: Terrain): T => {
  let text = JSON.stringify(value);
  for (const key of ["home", "workspace", "base", "state", "token", "abstractSocket", "sharedSocket", "command"] as const)
    text = text.replaceAll(TERRAIN[key], JSON.stringify(terrain[key]).slice(1, -1));
  return JSON.parse(text.replaceAll(String(TERRAIN.port), String(terrain.port))) as T;
};

export const isTheme = (text: string): text is Theme => THEMES.some((theme) => theme === text);

export const isTrialKind = (text: string): text is TrialKind => TRIAL_KINDS.some((kind) => kind === text);
