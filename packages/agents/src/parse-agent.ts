/** Reads one agent file: YAML front matter between `---` lines, then the prompt. Says at which line it is broken. */
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { RetinueError } from "@retinue/protocol";
import { LineCounter, parseDocument } from "yaml";

const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

export const parseAgent = (text: string, file: string): AgentDefinition => {
  const match = FRONT_MATTER.exec(text);
  if (!match) throw broken(file, 1, "it does not begin with front matter between two lines of ---");
  const lines = new LineCounter();
  const document = parseDocument(match[1] ?? "", { lineCounter: lines });
  // The first line of the file is the opening ---.
  const lineOf = (offset: number): number => lines.linePos(offset).line + 1;
  const [error] = document.errors;
  if (error) throw broken(file, lineOf(error.pos[0]), error.message.split("\n")[0] ?? "it is not YAML");
  const parsed = agentFrontMatterSchema.safeParse(document.toJS());
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const node: unknown = issue && document.getIn(issue.path, true);
    const range =
      node !== null && typeof node === "object" && "range" in node && Array.isArray(node.range) ? (node.range as number[]) : [0];
    throw broken(file, lineOf(range[0] ?? 0), `${issue?.path.join(".") ?? "front matter"}: ${issue?.message ?? "is invalid"}`);
  }
  const prompt = text.slice(match[0].length).trim();
  if (prompt === "") throw broken(file, match[0].split("\n").length, "it has no prompt after the front matter");
  return { ...parsed.data, prompt };
};

const broken = (file: string, line: number, why: string): RetinueError =>
  new RetinueError("agent_invalid", `${file}:${line}: ${why}.`);
