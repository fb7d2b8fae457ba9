/** Cargo.toml. */
import { toldFacts } from "./told-facts.ts";
import type { Command, Fact, Manifest, Purpose, ManifestFile } from "./project.ts";
import { parseToml, stringsIn } from "./toml.ts";

const GROUPS: Readonly<Record<string, string>> = {
  dependencies: "to run",
  "dev-dependencies": "to develop",
  "build-dependencies": "to build",
};

export const readCargo = ({ path, lines, listing }: ManifestFile): Manifest => {
  const entries = parseToml(lines);
  const fact = (key: string): Fact | undefined => {
    const entry = entries.find((each) => /^(?:workspace\.)?package$/.test(each.section) && each.key === key);
    const text = entry && stringsIn(entry.value)[0];
    return entry && text !== undefined ? { text, where: `${path}:${entry.line}` } : undefined;
  };
  const [name, description, version, licence, rust] = [
    fact("name"),
    fact("description"),
    fact("version"),
    fact("license"),
    fact("rust-version"),
  ];
  const folder = path.includes("/") ? `${path.slice(0, path.lastIndexOf("/"))}/` : "";
  const has = (file: string): boolean => listing.files.includes(folder + file);
  const bins = entries.filter(({ section, key }) => section === "bin" && key === "path");
  const isProgram = has("src/main.rs") || bins.length > 0;
  const isWorkspace = lines.some(({ text }) => /^\s*\[workspace\]/.test(text));
  const usual = (purpose: Purpose, command: string): Command => ({ purpose, command, where: path, isWritten: false });
  const all = isWorkspace ? " --workspace" : "";
  return {
    path,
    ...toldFacts({ name, description, version, licence }),
    needs: rust ? [{ text: `Rust ${rust.text}`, where: rust.where }] : [],
    commands: [
      usual("build", `cargo build --release${all}`),
      usual("test", `cargo test${all}`),
      ...(isProgram
        ? [
            usual("run", "cargo run --release -- [arguments]"),
            { ...usual("install", "cargo install --path ."), does: "from a clone" },
          ]
        : []),
      ...(!isProgram && name ? [{ ...usual("install", `cargo add ${name.text}`), does: "to use it in another project" }] : []),
      usual("lint", `cargo clippy${all}`),
    ],
    dependencies: entries.flatMap(({ section, key, value, line }) => {
      const [, plain, table] = /(?:^|\.)((?:dev-|build-)?dependencies)(?:\.([\w-]+))?$/.exec(section) ?? [];
      if (plain === undefined || (table !== undefined && key !== "version")) return [];
      const target = section.startsWith("target.") ? ", on some systems" : "";
      return [
        {
          name: table ?? key.replace(/\.(?:workspace|version)$/, ""),
          version: /version\s*=\s*"([^"]*)"/.exec(value)?.[1] ?? (value.startsWith("{") ? "" : (stringsIn(value)[0] ?? "")),
          group: (GROUPS[plain] ?? plain) + target,
          where: `${path}:${line}`,
        },
      ];
    }),
    entries: [
      ...bins.map(({ value, line }) => ({ text: `program: ${stringsIn(value)[0] ?? ""}`, where: `${path}:${line}` })),
      ...(has("src/main.rs") && bins.length === 0 ? [{ text: "program", where: `${folder}src/main.rs` }] : []),
      ...(has("src/lib.rs") ? [{ text: "library", where: `${folder}src/lib.rs` }] : []),
    ],
  };
};
