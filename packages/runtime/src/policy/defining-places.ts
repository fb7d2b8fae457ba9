/**
 * The places of a project from which agents, skills, commands, instructions and settings are read, in every dialect. One table: what is loaded goes by it,
 * and so does what agents may not write unasked, so that no place is read that is not protected.
 */
export type DefiningKind =
  | "agents"
  | "skill-yaml"
  | "agent-roles"
  | "prompts"
  | "skills"
  | "commands"
  | "instructions"
  | "settings";

export type DefiningPlace = {
  readonly kind: DefiningKind;
  readonly dialect: "retinue" | "claude-code" | "opencode" | "any";
  /** A folder or a file, below a folder of the project. */
  readonly at: string;
  /** `deny`: no agent writes it. `ask`: a human is asked, in every approve mode. */
  readonly write: "deny" | "ask";
  /** What of it is protected, as globs in lower case; absent: itself, with all that lies below it. */
  readonly globs?: readonly string[];
};

const place = (
  kind: DefiningKind,
  dialect: DefiningPlace["dialect"],
  write: DefiningPlace["write"],
  ...all: readonly string[]
): readonly DefiningPlace[] => all.map((at) => ({ kind, dialect, at, write }));

/** In the order in which they count: what is found later takes the place of what was found before. */
export const DEFINING_PLACES: readonly DefiningPlace[] = [
  ...place("agents", "claude-code", "deny", ".claude/agents"),
  ...place("agents", "opencode", "deny", ".opencode/agent", ".opencode/agents"),
  // Other programs have folders and files of these names, too.
  { kind: "skill-yaml", dialect: "any", at: "skills", write: "ask", globs: ["skills/*.{yaml,yml}"] },
  { kind: "agent-roles", dialect: "any", at: "appsettings.json", write: "ask", globs: ["appsettings*.json"] },
  ...place("prompts", "any", "ask", "prompts/roles"),
  ...place("agents", "retinue", "deny", ".retinue/agents"),
  { kind: "skills", dialect: "any", at: "skills", write: "ask", globs: ["skill.md"] },
  ...place("skills", "claude-code", "deny", ".claude/skills"),
  ...place("skills", "any", "deny", ".agents/skills"),
  ...place("skills", "opencode", "deny", ".opencode/skill", ".opencode/skills"),
  ...place("skills", "retinue", "deny", ".retinue/skills"),
  ...place("commands", "claude-code", "deny", ".claude/commands"),
  ...place("commands", "opencode", "deny", ".opencode/command", ".opencode/commands"),
  ...place("commands", "retinue", "deny", ".retinue/commands"),
  ...place("instructions", "any", "ask", "AGENTS.md"),
  ...place("instructions", "claude-code", "ask", "CLAUDE.md"),
  ...place("instructions", "claude-code", "deny", ".claude/CLAUDE.md"),
  ...place("instructions", "claude-code", "ask", "CLAUDE.local.md"),
  ...place("settings", "retinue", "deny", "retinue.yaml"),
  ...place("settings", "claude-code", "deny", ".claude/settings.json", ".claude/settings.local.json"),
  ...place(
    "settings",
    "opencode",
    "deny",
    "opencode.json",
    "opencode.jsonc",
    ".opencode/opencode.json",
    ".opencode/opencode.jsonc",
  ),
];

/** Those of a kind. */
export const placesOf = (kind: DefiningKind): readonly DefiningPlace[] => DEFINING_PLACES.filter((one) => one.kind === kind);

/** What is to be protected, by how it is. */
export const definingGlobs = (write: DefiningPlace["write"]): readonly string[] =>
  DEFINING_PLACES.filter((one) => one.write === write).flatMap(({ at, globs }) => globs ?? [at.toLowerCase()]);
