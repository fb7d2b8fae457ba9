/**
 * Checks that the packages import each other only in the direction of the house, name what they depend on, run in no circle,
 * and that files are named for what they hold.
 */
import { isBuiltin } from "node:module";
import path from "node:path";
import { IO_BUILTINS, isRoom, mayImport, ROOMS_FOR_BROWSERS, ROOMS_WITHOUT_IO } from "./imports/direction.ts";
import { findCycles } from "./imports/find-cycles.ts";
import type { ImportReference } from "./imports/read-imports.ts";
import { listSources, readWorkspace, type SourceFile, type Workspace, type WorkspacePackage } from "./imports/read-workspace.ts";
import { isTestFile, nameProblem } from "./imports/source-file.ts";

export type ImportRule = "direction" | "exports" | "inside" | "declared" | "cycle" | "io" | "name";

export type ImportViolation = { readonly rule: ImportRule; readonly where: string; readonly problem: string };

/** What an import leads to: the file it names if that is ours, and what is wrong with it. */
type Judgement = { readonly target?: string; readonly violation?: Omit<ImportViolation, "where"> };

const splitSpecifier = (specifier: string): { name: string; entry: string } => {
  const segments = specifier.split("/");
  const length = specifier.startsWith("@") ? 2 : 1;
  return { name: segments.slice(0, length).join("/"), entry: segments.slice(length).join("/") };
};

const judgeRelative = (owner: WorkspacePackage, source: SourceFile, specifier: string): Judgement => {
  const target = path.posix.join(path.posix.dirname(source.file), specifier);
  return target.startsWith(`packages/${owner.room}/`)
    ? { target }
    : { violation: { rule: "inside", problem: `"${specifier}" leaves the package; import the other one by its name` } };
};

const judgeBuiltin = (owner: WorkspacePackage, source: SourceFile, specifier: string): Judgement => {
  if (!specifier.startsWith("node:")) {
    return { violation: { rule: "declared", problem: `write "node:${specifier}" for Node's own module` } };
  }
  if (ROOMS_FOR_BROWSERS.has(owner.room) && !isTestFile(source.file))
    return {
      violation: { rule: "io", problem: `"${specifier}": ${owner.room} runs in a browser too, where there is no such module` },
    };
  return ROOMS_WITHOUT_IO.has(owner.room) && !isTestFile(source.file) && IO_BUILTINS.has(specifier.slice("node:".length))
    ? { violation: { rule: "io", problem: `"${specifier}": ${owner.room} does no I/O of its own; take a port` } }
    : {};
};

const judgeRoom = (importer: { owner: WorkspacePackage; file: string }, imported: WorkspacePackage, entry: string): Judgement => {
  const { owner, file } = importer;
  if (imported === owner) {
    return { violation: { rule: "inside", problem: `"${owner.name}" is this package itself; import the file` } };
  }
  if (!isRoom(owner.room) || !mayImport({ room: owner.room, file }, { room: imported.room, entry })) {
    const what = entry === "" ? imported.room : `${imported.room}/${entry}`;
    return { violation: { rule: "direction", problem: `${owner.room} may not import ${what}` } };
  }
  const target = imported.entries.get(entry);
  return target === undefined
    ? { violation: { rule: "exports", problem: `"${imported.name}" does not export "./${entry}"` } }
    : { target };
};

const isDeclared = (workspace: Workspace, owner: WorkspacePackage, source: SourceFile, name: string): boolean =>
  owner.dependencies.has(name) ||
  (isTestFile(source.file) && (owner.devDependencies.has(name) || workspace.devDependencies.has(name)));

const judgeImport = (
  workspace: Workspace,
  owner: WorkspacePackage,
  source: SourceFile,
  { specifier }: ImportReference,
): Judgement => {
  if (specifier.startsWith(".")) return judgeRelative(owner, source, specifier);
  if (isBuiltin(specifier)) return judgeBuiltin(owner, source, specifier);
  const { name, entry } = splitSpecifier(specifier);
  const imported = workspace.packages.find((candidate) => candidate.name === name);
  const judgement = imported === undefined ? {} : judgeRoom({ owner, file: source.file }, imported, entry);
  if (judgement.violation !== undefined || isDeclared(workspace, owner, source, name)) return judgement;
  const where = isTestFile(source.file) ? "devDependencies" : "dependencies";
  return {
    violation: { rule: "declared", problem: `"${name}" is not among the ${where} of packages/${owner.room}/package.json` },
  };
};

const checkNames = (root: string): ImportViolation[] =>
  ["packages", "scripts", "examples", "bench"]
    .flatMap((folder) => listSources(root, folder))
    .flatMap((file) => {
      const problem = nameProblem(file);
      return problem === undefined ? [] : [{ rule: "name" as const, where: file, problem }];
    });

export const checkImports = (root: string): ImportViolation[] => {
  const workspace = readWorkspace(root);
  const graph = new Map<string, Set<string>>();
  const violations: ImportViolation[] = [];
  for (const owner of workspace.packages) {
    if (!isRoom(owner.room)) {
      const problem = "this room is not in the direction table of scripts/imports/direction.ts";
      violations.push({ rule: "direction", where: `packages/${owner.room}`, problem });
    }
    for (const source of owner.files) {
      const targets = new Set<string>();
      graph.set(source.file, targets);
      for (const reference of source.imports) {
        const { target, violation } = judgeImport(workspace, owner, source, reference);
        if (target !== undefined) targets.add(target);
        if (violation !== undefined) violations.push({ ...violation, where: `${source.file}:${reference.line}` });
      }
    }
  }
  for (const cycle of findCycles(graph)) {
    violations.push({ rule: "cycle", where: cycle[0] ?? "", problem: `imports run in a circle: ${cycle.join(" → ")}` });
  }
  return [...violations, ...checkNames(root)];
};

if (import.meta.main) {
  const violations = checkImports(path.dirname(import.meta.dirname));
  for (const { rule, where, problem } of violations) console.error(`${where}  ${problem}  [${rule}]`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
