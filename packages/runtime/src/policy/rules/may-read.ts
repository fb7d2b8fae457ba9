/** Which files a tool that looks through folders may show: those that rules let it read without a question, as itself and as `read`. */
import type { Grant } from "@retinue/protocol";
import { judgeRules } from "./judge-rules.ts";

/** Files are relative to the workspace, with forward slashes. */
export const createReadCheck = (tool: string, { rules }: Pick<Grant, "rules">): ((file: string) => boolean) => {
  if (rules === undefined || rules.length === 0) return () => true;
  return (file) => [tool, "read"].every((name) => judgeRules(rules, { tool: name, paths: [file] }).effect === "allow");
};
