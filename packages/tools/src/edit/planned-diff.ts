/** What a call of `write` or `edit` would change, as a unified diff against the files as they are now, for the human who is asked about it. */
import { constants, open } from "node:fs/promises";
import path from "node:path";
import type { ProposedAct } from "@retinue/protocol";
import { z } from "zod";
import { applyEdits } from "./apply-edits.ts";
import { toUnifiedDiff } from "./unified-diff.ts";

const EDITS = z.array(z.object({ old: z.string(), new: z.string(), all: z.boolean().optional() }));
const WRITE = z.object({ path: z.string(), content: z.string() });
const EDIT = z.union([
  z.object({ files: z.array(z.object({ path: z.string(), edits: EDITS })) }),
  z.object({ path: z.string(), edits: EDITS }).transform((one) => ({ files: [one] })),
]);

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_CHARS = 1_000_000;

/** Undefined where there is none: another tool, a file that is no text, edits that do not fit. The real paths are those that the act names. */
export const readPlannedDiff = async ({ tool, input, paths }: ProposedAct, workspace: string): Promise<string | undefined> => {
  const diffs: string[] = [];
  for (const [index, { named, change }] of toChanges(tool, input).entries()) {
    const file = paths[index];
    const before = file === undefined ? undefined : await readText(file);
    const after = before === undefined ? undefined : change(before);
    if (file === undefined || before === undefined || after === undefined) return undefined;
    diffs.push(toUnifiedDiff({ file: path.relative(workspace, file) || named, before, after }, MAX_CHARS));
  }
  return diffs.length === 0 ? undefined : diffs.join("\n");
};

type Change = { readonly named: string; readonly change: (before: string) => string | undefined };

const toChanges = (tool: string, input: unknown): readonly Change[] => {
  if (tool === "write") {
    const { data } = WRITE.safeParse(input);
    return data ? [{ named: data.path, change: () => data.content }] : [];
  }
  if (tool !== "edit") return [];
  const { data } = EDIT.safeParse(input);
  return (data?.files ?? []).map((one) => ({
    named: one.path,
    change: (before) => {
      const outcome = applyEdits(before, one.edits);
      return outcome.type === "edited" ? outcome.text : undefined;
    },
  }));
};

/** Empty where nothing stands there; undefined where it is no text that could be shown. */
const readText = async (file: string): Promise<string | undefined> => {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)).catch(
    (thrown: unknown) => {
      if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return null;
      return undefined;
    },
  );
  if (!handle) return handle === null ? "" : undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > MAX_BYTES) return undefined;
    const bytes = await handle.readFile();
    return bytes.includes(0) ? undefined : bytes.toString("utf8");
  } finally {
    await handle.close();
  }
};
