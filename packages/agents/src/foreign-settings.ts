/** The settings of other programs that say what agents may do here: those of Claude Code, then those of opencode. */
import type { ClaudeSettings } from "./claude-settings.ts";
import { loadClaudeSettings } from "./claude-settings.ts";
import { loadOpencodeSettings } from "./opencode-settings.ts";
import type { RuleSurroundings } from "./rule-places.ts";

export const loadForeignSettings = async (options: RuleSurroundings): Promise<ClaudeSettings> => {
  const [claude, opencode] = await Promise.all([loadClaudeSettings(options), loadOpencodeSettings(options)]);
  return { files: [...claude.files, ...opencode.files], problems: [...claude.problems, ...opencode.problems] };
};
