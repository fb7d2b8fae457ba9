/** pyproject.toml, setup.py, setup.cfg and requirements.txt. */
import { toldFacts } from "./told-facts.ts";
import type { Command, Dependency, Fact, Manifest, Purpose, ManifestFile } from "./project.ts";
import type { TomlEntry } from "./toml.ts";
import { itemsOf, parseToml, stringsIn } from "./toml.ts";

export const readPyproject = (file: ManifestFile): Manifest => {
  const { path, lines, listing } = file;
  const entries = parseToml(lines);
  const fact = (section: string, key: string): Fact | undefined => {
    const entry = entries.find((each) => each.section === section && each.key === key);
    const text = entry && (stringsIn(entry.value)[0] ?? "");
    return entry && text !== undefined && text !== "" ? { text, where: `${path}:${entry.line}` } : undefined;
  };
  const either = (key: string): Fact | undefined => fact("project", key) ?? fact("tool.poetry", key);
  const [name, description, version, licence, needs] = [
    either("name"),
    either("description"),
    either("version"),
    either("license"),
    fact("project", "requires-python"),
  ];
  const dynamic = entries.find(
    ({ section, key, value }) => section === "project" && key === "dynamic" && stringsIn(value).includes("dependencies"),
  );
  const scripts = entries.filter(({ section }) => /^(?:project\.(?:gui-)?scripts|tool\.poetry\.scripts)$/.test(section));
  return {
    path,
    ...toldFacts({ name, description, version, licence }),
    needs: needs ? [{ ...needs, text: `Python ${needs.text}` }] : [],
    commands: [
      ...(name
        ? [
            {
              purpose: "install" as const,
              command: `pip install ${name.text}`,
              where: name.where,
              isWritten: false,
              does: "to use it in another project",
            },
          ]
        : []),
      ...pythonCommands(file, entries),
      ...scripts.map(({ key, line }): Command => ({ purpose: "run", command: key, where: `${path}:${line}`, isWritten: true })),
    ],
    dependencies: entries.flatMap((entry) => toDependencies(path, entry)),
    ...(dynamic ? { madeByBuild: `${path}:${dynamic.line}` } : {}),
    entries: [
      ...scripts.map(({ key, value, line }) => ({
        text: `command ${key}: ${stringsIn(value)[0] ?? value}`,
        where: `${path}:${line}`,
      })),
      ...listing.files
        .filter((each) => each.endsWith("__main__.py"))
        .map((each) => ({ text: "runs with python -m", where: each })),
    ],
  };
};

const pythonCommands = ({ path, lines, listing }: ManifestFile, entries: readonly TomlEntry[]): readonly Command[] => {
  const has = (file: string): boolean => listing.files.includes(file);
  const section = (pattern: RegExp): TomlEntry | undefined => entries.find((entry) => pattern.test(entry.section));
  const usual = (purpose: Purpose, command: string, where = path): Command => ({ purpose, command, where, isWritten: false });
  const inUv = has("uv.lock");
  const inPoetry = has("poetry.lock") || section(/^tool\.poetry$/) !== undefined;
  const prefix = inUv ? "uv run " : inPoetry ? "poetry run " : "";
  const tox = section(/^tool\.tox/);
  const pytest = section(/^tool\.pytest/);
  const mentions = lines.some(({ text }) => /\bpytest\b/.test(text));
  return [
    {
      ...usual("install", inUv ? "uv sync" : inPoetry ? "poetry install" : "pip install -e ."),
      does: "in a clone, to work on it",
    },
    ...(pytest || mentions ? [usual("test", `${prefix}pytest`, pytest ? `${path}:${pytest.line}` : path)] : []),
    ...(tox ? [usual("test", `${prefix}tox`, `${path}:${tox.line}`)] : []),
    usual("build", inUv ? "uv build" : inPoetry ? "poetry build" : "python -m build"),
  ];
};

const toDependencies = (path: string, entry: TomlEntry): readonly Dependency[] => {
  const { section, key, value, line } = entry;
  const list = (group: string): readonly Dependency[] =>
    itemsOf(entry).map((item) => toRequired(item.text, { group, where: `${path}:${item.line}` }));
  if (section === "project" && key === "dependencies") return list("to run");
  if (section === "project.optional-dependencies") return list(`optional: ${key}`);
  if (section === "dependency-groups") return list(key === "dev" ? "to develop" : key);
  const [, group] = /^tool\.poetry\.(?:group\.([\w-]+)\.)?(?:dev-)?dependencies$/.exec(section) ?? [];
  if (section.startsWith("tool.poetry") && section.endsWith("dependencies"))
    return key === "python"
      ? []
      : [
          {
            name: key,
            version: stringsIn(value)[0] ?? "",
            group: group ?? (section.includes("dev-") ? "to develop" : "to run"),
            where: `${path}:${line}`,
          },
        ];
  return [];
};

/** `name[extra]>=1 ; marker`, as pip reads it. */
const toRequired = (text: string, { group, where }: Pick<Dependency, "group" | "where">): Dependency => {
  const [, name = text, version = ""] = /^([\w.-]+(?:\[[^\]]*\])?)\s*(.*)$/.exec(text.trim()) ?? [];
  return { name, version: version.replace(/^[(]|[)]$/g, ""), group, where };
};

export const readSetup = ({ path, lines, listing }: ManifestFile): Manifest => {
  const find = (key: string): Fact | undefined => {
    const row = lines.find(({ text }) => new RegExp(String.raw`^\s*${key}\s*=`).test(text));
    const text = row && /=\s*["']?([^"',]+)/.exec(row.text)?.[1]?.trim();
    return row && text !== undefined && text !== "" ? { text, where: `${path}:${row.number}` } : undefined;
  };
  const [name, description, version, licence] = [find("name"), find("description"), find("version"), find("license")];
  const isTested = [...listing.folders.keys()].some((folder) => /^tests?$/.test(folder));
  const usual = (purpose: Purpose, command: string): Command => ({ purpose, command, where: path, isWritten: false });
  return {
    path,
    ...toldFacts({ name, description, version, licence }),
    commands: [
      usual("install", "pip install -e ."),
      usual("build", "python -m build"),
      ...(isTested ? [usual("test", "python -m pytest")] : []),
    ],
    dependencies: requiredIn({ path, lines }),
  };
};

/** The list of `install_requires`, in Python or in an ini file. */
const requiredIn = ({ path, lines }: Pick<ManifestFile, "path" | "lines">): readonly Dependency[] => {
  const text = lines.map((line) => line.text).join("\n");
  const found = /install_requires\s*=[ \t]*(?:\[((?:"[^"\n]*"|'[^'\n]*'|[^\]"'])*)\]|((?:\n[ \t]+[^\n]+)+))/.exec(text);
  const list = found?.[1] ?? found?.[2] ?? "";
  const from = (found?.index ?? 0) + (found?.[0].indexOf(list) ?? 0);
  return [...list.matchAll(/"([^"\n]+)"|'([^'\n]+)'|(?<=\n)[ \t]+([A-Za-z][^\n]*)/g)].map(
    ({ 1: double, 2: single, 3: bare, index }) => {
      const row = lines[text.slice(0, from + index).split("\n").length - 1];
      return toRequired(double ?? single ?? bare ?? "", { group: "to run", where: `${path}:${row?.number ?? 1}` });
    },
  );
};

export const readRequirements = ({ path, lines }: ManifestFile): Manifest => ({
  path,
  commands: [{ purpose: "install", command: `pip install -r ${path}`, where: path, isWritten: false }],
  dependencies: lines.flatMap(({ number, text }) => {
    const [, name, version = ""] = /^([A-Za-z][\w.-]*(?:\[[^\]]*\])?)\s*([<>=!~].*?)?\s*(?:[#;].*)?$/.exec(text.trim()) ?? [];
    return name === undefined ? [] : [{ name, version, group: "to run", where: `${path}:${number}` }];
  }),
});
