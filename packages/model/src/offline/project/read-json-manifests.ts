/** package.json, composer.json and deno.json: scripts, dependencies and entry points, each with its line. */
import { toldFacts } from "./told-facts.ts";
import type { JsonObject } from "@retinue/protocol";
import { parseObject } from "../conversation.ts";
import type { ReadLine } from "../tool-output.ts";
import { escapePattern } from "../terms.ts";
import type { Command, Dependency, Fact, Manifest, Purpose, ManifestFile } from "./project.ts";
import { purposeOf } from "./project.ts";

export const readPackageJson = (file: ManifestFile): Manifest => {
  const { path, lines, listing } = file;
  const json = toJson(lines);
  const manager = managerOf(json, listing.files);
  const scripts = entriesOf(json["scripts"]).map(([name, does]): Command => {
    const isDirect = ["test", "start"].includes(name);
    return {
      purpose: purposeOf(name),
      command: `${manager} ${isDirect ? "" : "run "}${name}`,
      where: placeOf(file, name, '"scripts"'),
      isWritten: true,
      does,
    };
  });
  const install: Command = {
    purpose: "install",
    command: `${manager} install`,
    where: path,
    isWritten: false,
    does: "in a clone, for its dependencies",
  };
  const bin = json["bin"];
  const bins: readonly (readonly [string, string])[] = typeof bin === "string" ? [[textOf(json["name"]), bin]] : entriesOf(bin);
  const entries: Fact[] = bins.map(([name, target]) => ({ text: `command ${name}: ${target}`, where: placeOf(file, "bin") }));
  for (const key of ["main", "module", "browser"])
    if (textOf(json[key]) !== "") entries.push({ text: `${key}: ${textOf(json[key])}`, where: placeOf(file, key) });
  if (json["exports"] !== undefined)
    entries.push({
      text: `exports: ${[...new Set(stringsOf(json["exports"]))].slice(0, 4).join(", ")}`,
      where: placeOf(file, "exports"),
    });
  return {
    path,
    ...about(file, json),
    needs: entriesOf(json["engines"]).map(([name, version]) => ({
      text: `${name} ${version}`,
      where: placeOf(file, name, '"engines"'),
    })),
    commands: [
      ...(json["private"] === true || textOf(json["name"]) === ""
        ? []
        : [toUse(file, `${manager} ${manager === "npm" ? "install" : "add"} ${textOf(json["name"])}`)]),
      install,
      ...scripts,
    ],
    dependencies: [
      ...dependenciesOf(file, json, "dependencies", "to run"),
      ...dependenciesOf(file, json, "peerDependencies", "peer"),
      ...dependenciesOf(file, json, "optionalDependencies", "optional"),
      ...dependenciesOf(file, json, "devDependencies", "to develop"),
    ],
    entries,
  };
};

export const readComposer = (file: ManifestFile): Manifest => {
  const json = toJson(file.lines);
  const scripts = Object.keys(asObject(json["scripts"])).map((name): Command => ({
    purpose: purposeOf(name),
    command: `composer ${name}`,
    where: placeOf(file, name, '"scripts"'),
    isWritten: true,
  }));
  const usual = (purpose: Purpose, command: string): Command => ({ purpose, command, where: file.path, isWritten: false });
  const dependencies = [
    ...dependenciesOf(file, json, "require", "to run"),
    ...dependenciesOf(file, json, "require-dev", "to develop"),
  ];
  const isTested = dependencies.some(({ name }) => name === "phpunit/phpunit");
  return {
    path: file.path,
    ...about(file, json),
    commands: [usual("install", "composer install"), ...scripts, ...(isTested ? [usual("test", "vendor/bin/phpunit")] : [])],
    dependencies: dependencies.filter(({ name }) => name !== "php"),
    needs: dependencies.flatMap(({ name, version, where }) => (name === "php" ? [{ text: `PHP ${version}`, where }] : [])),
  };
};

export const readDeno = (file: ManifestFile): Manifest => {
  const json = toJson(file.lines);
  const tasks = entriesOf(json["tasks"]).map(([name, does]): Command => ({
    purpose: purposeOf(name),
    command: `deno task ${name}`,
    where: placeOf(file, name, '"tasks"'),
    isWritten: true,
    does,
  }));
  return {
    path: file.path,
    ...about(file, json),
    commands: [...tasks, { purpose: "test", command: "deno test", where: file.path, isWritten: false }],
    dependencies: dependenciesOf(file, json, "imports", "to run"),
  };
};

const toUse = (file: ManifestFile, command: string): Command => ({
  purpose: "install",
  command,
  where: placeOf(file, "name"),
  isWritten: false,
  does: "to use it in another project",
});

const about = (file: ManifestFile, json: JsonObject): Partial<Manifest> => {
  const fact = (key: string): Fact | undefined =>
    textOf(json[key]) === "" ? undefined : { text: textOf(json[key]), where: placeOf(file, key) };
  const [name, description, version, licence] = [fact("name"), fact("description"), fact("version"), fact("license")];
  return {
    ...toldFacts({ name, description, version, licence }),
  };
};

const dependenciesOf = (file: ManifestFile, json: JsonObject, key: string, group: string): readonly Dependency[] =>
  entriesOf(json[key]).map(([name, version]) => ({ name, version, group, where: placeOf(file, name, `"${key}"`) }));

const managerOf = (json: JsonObject, files: readonly string[]): string => {
  const named = /^(npm|pnpm|yarn|bun)@/.exec(textOf(json["packageManager"]))?.[1];
  if (named !== undefined) return named;
  if (files.includes("pnpm-lock.yaml")) return "pnpm";
  if (files.includes("yarn.lock")) return "yarn";
  return files.includes("bun.lockb") || files.includes("bun.lock") ? "bun" : "npm";
};

/** Where a key stands, looked for below another one where it may stand in several places. */
const placeOf = ({ path, lines }: ManifestFile, key: string, below?: string): string => {
  const from = below === undefined ? 0 : lines.findIndex(({ text }) => text.includes(below));
  const pattern = new RegExp(String.raw`^\s*\{?\s*"${escapePattern(key)}"\s*:`);
  const row = lines.slice(Math.max(0, from)).find(({ text }) => pattern.test(text)) ?? lines[Math.max(0, from)];
  return row && (from >= 0 || below === undefined) ? `${path}:${row.number}` : path;
};

/** Comments, as tsconfig and deno.jsonc have them, are no JSON. */
const toJson = (lines: readonly ReadLine[]): JsonObject => {
  const text = lines.map((line) => line.text).join("\n");
  for (const tried of [text, text.replaceAll(/^\s*\/\/.*$/gm, "")]) {
    const json = parseObject(tried);
    if (Object.keys(json).length > 0) return json;
  }
  return salvage(lines);
};

/** The strings at the top and one level below, of a file that was not read to its end. */
const salvage = (lines: readonly ReadLine[]): JsonObject => {
  const found: Record<string, string | Record<string, string>> = {};
  let within: Record<string, string> | undefined;
  let indent = "";
  for (const { text } of lines) {
    const [, before = "", key, value] = /^(\s+)"([^"]+)"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|\{)\s*,?\s*$/.exec(text) ?? [];
    if (key === undefined) {
      if (/^\s+\}/.test(text)) within = undefined;
      continue;
    }
    if (indent === "") indent = before;
    if (before === indent && value === undefined) found[key] = within = {};
    else if (before === indent && value !== undefined) found[key] = value;
    else if (within && value !== undefined) within[key] = value;
  }
  return found;
};

const asObject = (value: unknown): JsonObject =>
  // What stands in JSON and is an object that is no array is a JsonObject.
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

const entriesOf = (value: unknown): readonly (readonly [string, string])[] =>
  Object.entries(asObject(value)).flatMap(([key, each]) => (typeof each === "string" ? [[key, each] as const] : []));

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const stringsOf = (value: unknown): readonly string[] =>
  typeof value === "string" ? [value] : Object.values(asObject(value)).flatMap(stringsOf);
