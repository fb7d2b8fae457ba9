/** Fills in the root of the project for the variable by which hooks of Claude Code name it, to see which files a command runs. */
const PROJECT_DIR = /"?\$(?:\{CLAUDE_PROJECT_DIR\}|CLAUDE_PROJECT_DIR\b)"?/g;

export const spellOut = (command: string, root: string): string => command.replaceAll(PROJECT_DIR, () => root);
