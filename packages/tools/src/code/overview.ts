/** `overview`: what a project is, at a glance: its description, languages, layout, entry points, tests and largest files, all counted. */
import path from "node:path";
import type { Tool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { openRegularFile } from "@retinue/confine";
import { count, MAX_OUTPUT_CHARS, toModelText } from "@retinue/confine";
import { requireFolder } from "@retinue/confine";
import { escapeName, toAbsolutePath, toShownPath } from "@retinue/confine";
import { byPath, listFiles } from "@retinue/confine";
import type { CountedLines } from "./count-lines.ts";
import { countLines } from "./count-lines.ts";
import { describeManifest, isEntryFile, isManifest } from "./entry-points.ts";
import { fileLanguageOf } from "./file-language.ts";
import { describeLayout } from "./folder-layout.ts";
import { firstParagraph } from "./readme.ts";
import { isTestPath } from "./search-symbols.ts";

const DEFAULT_DEPTH = 2;
const MAX_LAYOUT_LINES = 60;
const MAX_LANGUAGES = 15;
const MAX_MANIFESTS = 15;
const MAX_ENTRIES = 20;
const LARGEST = 8;
const MAX_MANIFEST_BYTES = 200_000;

const INPUT = z.object({
  path: z.string().min(1).optional().describe("The folder to look at; the workspace by default."),
  depth: z.number().int().min(1).max(4).optional().describe(`How many levels of folders to show, ${DEFAULT_DEPTH} by default.`),
});

export type OverviewInput = z.infer<typeof INPUT>;

export const createOverviewTool = (): Tool<OverviewInput> =>
  defineTool({
    name: "overview",
    description:
      "Shows what a project is: what its README says first, languages with files and lines, folders, entry points and scripts, tests, " +
      "largest files. Files that .gitignore excludes are left out.",
    input: INPUT,
    effect: "read",
    touches: ({ path: named }) => ({ paths: [named ?? "."] }),
    execute: async ({ path: named, depth = DEFAULT_DEPTH }, { workspace, signal }) => {
      const folder = toAbsolutePath(workspace, named ?? ".");
      const shown = toShownPath(workspace, folder);
      await requireFolder(folder, shown);
      const [list, lines] = await Promise.all([listFiles(folder, signal), countLines(folder, signal)]);
      if (list.files.length === 0) return `There are no files in ${shown === "." ? "the workspace" : shown}.`;
      const read = (file: string): Promise<string> => readSmallFile(workspace, path.join(folder, file));
      const sections = [
        await describeProject(path.basename(folder), list.files, read),
        describeLanguages(list.files, lines),
        [
          "Folders:",
          ...describeLayout(
            list.files.map((file) => ({ file, lines: lines.get(file) ?? 0 })),
            depth,
            MAX_LAYOUT_LINES,
          ),
        ],
        await describeEntries(list.files, read),
        describeTests(list.files, lines),
        describeLargest(lines),
        list.whole ? [] : ["[there are more files than could be listed; the counts are of a part]"],
      ];
      const text = sections
        .filter((section) => section.length > 0)
        .map((section) => section.join("\n"))
        .join("\n\n");
      return toModelText(text.slice(0, MAX_OUTPUT_CHARS - 500).toWellFormed());
    },
  });

type ReadText = (file: string) => Promise<string>;

/** Empty where it cannot be read. */
const readSmallFile = async (workspace: string, absolute: string): Promise<string> => {
  try {
    const { handle } = await openRegularFile({ workspace, absolute, shown: toShownPath(workspace, absolute) });
    try {
      const buffer = Buffer.alloc(MAX_MANIFEST_BYTES);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return "";
  }
};

const describeProject = async (name: string, files: readonly string[], read: ReadText): Promise<readonly string[]> => {
  const readme = files.find((file) => /^readme(\.(md|markdown|rst|txt))?$/i.test(file));
  const said = readme === undefined ? undefined : firstParagraph(await read(readme));
  return [`${escapeName(name)}: ${count(files.length, "file")}`, ...(said === undefined ? [] : [said])];
};

const describeLanguages = (files: readonly string[], lines: CountedLines): readonly string[] => {
  const languages = new Map<string, { files: number; lines: number }>();
  for (const file of files) {
    const language = fileLanguageOf(file) ?? "other";
    let entry = languages.get(language);
    if (!entry) languages.set(language, (entry = { files: 0, lines: 0 }));
    entry.files += 1;
    entry.lines += lines.get(file) ?? 0;
  }
  const ordered = [...languages].toSorted(
    (a, b) => Number(a[0] === "other") - Number(b[0] === "other") || b[1].lines - a[1].lines,
  );
  const shown = ordered
    .slice(0, MAX_LANGUAGES)
    .map(([language, entry]) => `  ${language}: ${count(entry.files, "file")}, ${count(entry.lines, "line")}`);
  const left = ordered.length - shown.length;
  return ["Languages:", ...shown, ...(left > 0 ? [`  … ${count(left, "other language")}`] : [])];
};

const depthOf = (file: string): number => file.split("/").length;

const describeEntries = async (files: readonly string[], read: ReadText): Promise<readonly string[]> => {
  const manifests = files.filter((file) => isManifest(file) && !isTestPath(file)).toSorted((a, b) => depthOf(a) - depthOf(b));
  const entries = files.filter((file) => isEntryFile(file) && !isTestPath(file)).toSorted((a, b) => depthOf(a) - depthOf(b));
  const lines: string[] = [];
  for (const file of manifests.slice(0, MAX_MANIFESTS)) lines.push(`  ${describeManifest({ file, text: await read(file) })}`);
  if (manifests.length > MAX_MANIFESTS) lines.push(`  … ${count(manifests.length - MAX_MANIFESTS, "more manifest")}`);
  if (entries.length > 0) {
    const more = entries.length > MAX_ENTRIES ? `, and ${entries.length - MAX_ENTRIES} more` : "";
    lines.push(`  files: ${entries.slice(0, MAX_ENTRIES).map(escapeName).join(", ")}${more}`);
  }
  return lines.length === 0 ? [] : ["Entry points:", ...lines];
};

const describeTests = (files: readonly string[], lines: CountedLines): readonly string[] => {
  const tests = files.filter((file) => isTestPath(file) && fileLanguageOf(file) !== undefined);
  if (tests.length === 0) return ["Tests: none found"];
  const folders = new Map<string, number>();
  for (const file of tests) {
    const folder = file.split("/").slice(0, -1).slice(0, 3).join("/") || ".";
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  const shown = [...folders].toSorted((a, b) => b[1] - a[1]).slice(0, 8);
  const sum = tests.reduce((total, file) => total + (lines.get(file) ?? 0), 0);
  return [
    `Tests: ${count(tests.length, "file")}, ${count(sum, "line")}`,
    ...shown.map(([folder, number]) => `  ${escapeName(folder)}: ${count(number, "file")}`),
  ];
};

const describeLargest = (lines: CountedLines): readonly string[] => {
  const largest = [...lines].toSorted((a, b) => b[1] - a[1] || byPath(a[0], b[0])).slice(0, LARGEST);
  return largest.length === 0
    ? []
    : ["Largest files:", ...largest.map(([file, number]) => `  ${escapeName(file)}: ${count(number, "line")}`)];
};
