/** Manifests that are read line by line: go.mod, makefiles and their like, Dockerfile and compose files. */
import type { Command, Dependency, Fact, Manifest, Purpose, ManifestFile } from "./project.ts";
import { purposeOf } from "./project.ts";
import { baseOf, findNearest } from "./listing.ts";

export const readGoModule = ({ path, lines, listing }: ManifestFile): Manifest => {
  let name: Fact | undefined;
  const needs: Fact[] = [];
  const dependencies: Dependency[] = [];
  for (const { number, text } of lines) {
    const where = `${path}:${number}`;
    const [, module] = /^module\s+(\S+)/.exec(text) ?? [];
    const [, version] = /^go\s+(\S+)/.exec(text) ?? [];
    const [, required, release = "", indirect] =
      /^(?:require\s+|\t)([\w.-]+\.[\w./~-]+)\s+(v\S+)\s*(\/\/ indirect)?/.exec(text) ?? [];
    if (module !== undefined) name = { text: module, where };
    if (version !== undefined) needs.push({ text: `Go ${version}`, where });
    if (required !== undefined)
      dependencies.push({ name: required, version: release, group: indirect === undefined ? "to run" : "indirect", where });
  }
  const usual = (purpose: Purpose, command: string): Command => ({ purpose, command, where: path, isWritten: false });
  const commands = [...listing.folders.keys()].filter((folder) => /^cmd\/[^/]+$/.test(folder));
  const isProgram = listing.files.includes("main.go");
  const programs = [...(isProgram ? ["."] : []), ...commands.map((folder) => `./${folder}`)];
  const module = name?.text ?? "";
  return {
    path,
    ...(name ? { name } : {}),
    needs,
    commands: [
      usual("build", "go build ./..."),
      usual("test", "go test ./..."),
      ...programs.slice(0, 4).map((folder) => usual("run", `go run ${folder}`)),
      ...(programs.length > 0 ? [usual("install", "go install ./...")] : [usual("install", `go get ${module}`)]),
      usual("lint", "go vet ./..."),
    ],
    dependencies,
    entries: [
      ...(isProgram ? [{ text: "program", where: "main.go" }] : []),
      ...commands.map((folder) => ({ text: "program", where: `${folder}/` })),
      ...(programs.length === 0 ? [{ text: `library, imported as ${module}`, where: name?.where ?? path }] : []),
    ],
  };
};

/** Targets of make, just and task. */
export const readTargets = ({ path, lines }: ManifestFile): Manifest => {
  const base = baseOf(path).toLowerCase();
  const tool = base.includes("just") ? "just" : base.startsWith("taskfile") ? "task" : "make";
  const pattern = tool === "task" ? /^ {2}([\w:-]+):\s*$/ : /^@?([A-Za-z][\w-]*)(?:\s+[^:=]*)?:(?!=)/;
  const commands = lines.flatMap(({ number, text }, at): readonly Command[] => {
    const [, name] = pattern.exec(text) ?? [];
    if (name === undefined || ["PHONY", "default", "set", "export", "alias"].includes(name)) return [];
    const body = lines.slice(at + 1, lines.findIndex(({ text: row }, below) => below > at && !/^\s/.test(row)) >>> 0);
    // What is only printed says nothing.
    const does =
      body.map((row) => row.text.trim().replace(/^[@-]+/, "")).find((row) => row !== "" && !/^(?:echo|mkdir|#)/.test(row)) ?? "";
    return [
      {
        purpose: purposeOf(name),
        command: `${tool} ${name}`,
        where: `${path}:${number}`,
        isWritten: true,
        ...(does === "" ? {} : { does }),
      },
    ];
  });
  const seen = new Set<string>();
  return { path, commands: commands.filter(({ command }) => !seen.has(command) && seen.add(command)) };
};

export const readDockerfile = ({ path, lines, listing }: ManifestFile): Manifest => {
  const start = lines.findLast(({ text }) => /^\s*(?:CMD|ENTRYPOINT)\b/.test(text));
  const entries = start ? [{ text: `container: ${start.text.trim()}`, where: `${path}:${start.number}` }] : [];
  const usual = (purpose: Purpose, command: string): Command => ({ purpose, command, where: path, isWritten: false });
  if (/compose/.test(baseOf(path))) return { path, commands: [usual("run", "docker compose up")], entries };
  const isComposed = findNearest(listing, /compose\.ya?ml$/).length > 0;
  return {
    path,
    commands: [usual("build", "docker build -t app ."), ...(isComposed ? [] : [usual("run", "docker run --rm app")])],
    entries,
  };
};
