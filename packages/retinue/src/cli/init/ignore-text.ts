/** The file that says what searches of agents pass over, besides what git ignores. */
import { statSync } from "node:fs";
import path from "node:path";

export const IGNORE_FILE = ".ignore";

/** Made by programs, long, and seldom what one looks for. */
const USUAL = ["node_modules", "dist", "build", "out", "target", "coverage", ".venv", "vendor", "__pycache__"];

export const ignoreText = (workspace: string): string => {
  const found = USUAL.filter((name) => statSync(path.join(workspace, name), { throwIfNoEntry: false })?.isDirectory());
  const lines = found.length === 0 ? ["# dist/", "# *.min.js"] : found.map((name) => `${name}/`);
  return `# What searches of agents pass over, besides what git ignores; written as in .gitignore.\n${lines.join("\n")}\n`;
};
