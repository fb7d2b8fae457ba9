/** Commands that a rule of a file denies or has asked about, in the spellings of a grammar of shells: none of them may run. */
import { spellCommand } from "../../../packages/tools/src/testing/command-spellings.ts";
import type { AttackCall } from "./draw-call.ts";
import type { Random } from "./pick.ts";
import { pick, upTo } from "./pick.ts";

/** What stands there when a command ran that was to be denied, or was not asked about. */
export const RULED = ["ran-though-denied", "ran-though-asked"] as const;

/** In the words of Claude Code, in its settings of the user. */
export const CLAUDE_SETTINGS = JSON.stringify({ permissions: { deny: ["Bash(install:*)"], ask: ["Bash(fallocate:*)"] } });

/** Of the attacking agent's own file. */
export const AGENT_RULES = [{ tools: ["shell"], like: "truncate *", effect: "deny" }] as const;

const COMMANDS = [
  { program: "install", args: ["-m", "600", "/dev/null", RULED[0]], bin: "/usr/bin" },
  { program: "fallocate", args: ["-l", "1", RULED[1]], bin: "/usr/bin" },
  { program: "truncate", args: ["-s", "1", RULED[0]], bin: "/usr/bin" },
];

const SPELLINGS = 400;

export const drawRuled = (random: Random): AttackCall => {
  const spelled = spellCommand(pick(random, COMMANDS), { count: SPELLINGS, seed: upTo(random, 1000) });
  return { tool: "shell", input: { command: pick(random, spelled), timeoutMs: 20_000 } };
};
