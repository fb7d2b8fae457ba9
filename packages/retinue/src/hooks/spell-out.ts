/**
 * Leaves out the variable by which hooks of Claude Code name the root of the project, so that the files that a command runs are found from there, whatever
 * blanks the way to the project has.
 */
const PROJECT_DIR = /"?\$(?:\{CLAUDE_PROJECT_DIR\}|CLAUDE_PROJECT_DIR\b)"?\/?/g;

export const spellOut = (command: string): string => command.replaceAll(PROJECT_DIR, "./");
