/** One table says from where a project is read and what agents may not write unasked; each of its places is tried for both. */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { DefiningKind, DefiningPlace } from "@retinue/runtime";
import { DEFINING_PLACES, protectionOf } from "@retinue/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadForeignSettings } from "./foreign-settings.ts";
import { loadCommands } from "./commands/load-commands.ts";
import { loadInstructions } from "./instructions/load-instructions.ts";
import type { AgentFolders } from "./testing/agent-folders.ts";
import { createAgentFolders } from "./testing/agent-folders.ts";

let folders: AgentFolders;
beforeEach(async () => {
  folders = await createAgentFolders();
});
afterEach(() => folders.dispose());

/** A file of each kind, by its path below the place; a place that is a file itself has none. */
const SAMPLES: Readonly<Record<DefiningKind, { readonly file?: string; readonly text: string }>> = {
  agents: { file: "probe.md", text: "---\nname: probe\ndescription: d\n---\nP.\n" },
  "skill-yaml": { file: "probe.yaml", text: "name: probe\nsystem_prompt: P.\ntools: []\nmax_iterations: 3\n" },
  "agent-roles": { text: `{"AgentRoles": {"Roles": [{"RoleId": "probe", "SystemPromptFile": "prompts/roles/p.md"}]}}` },
  prompts: { file: "p.md", text: "P." },
  skills: { file: "probe/SKILL.md", text: "---\nname: probe\ndescription: d\n---\nP.\n" },
  commands: { file: "probe.md", text: "P." },
  instructions: { text: "P." },
  settings: { text: `{"permissions": {"deny": ["Bash"]}, "permission": {"bash": "deny"}}` },
};

const fileOf = ({ kind, at }: DefiningPlace): string => path.posix.join(at, SAMPLES[kind].file ?? "");

/** Whether what stands there is used. */
const isLoaded = async ({ kind, at }: DefiningPlace): Promise<boolean> => {
  switch (kind) {
    case "agents":
    case "skill-yaml":
    case "agent-roles":
      return (await folders.load()).agents.has("probe");
    case "prompts":
      await folders.write("project/appsettings.json", SAMPLES["agent-roles"].text);
      return (await folders.load()).promptFiles.includes(path.join(folders.projectDir, at, "p.md"));
    case "skills":
      return (await folders.load()).skills.has("probe");
    case "commands":
      return (await loadCommands({ folders: [folders.projectDir] })).commands.has("probe");
    case "instructions":
      return (await loadInstructions({ folders: [folders.projectDir] })).files.length === 1;
    case "settings":
      return (await loadForeignSettings({ projectDir: folders.projectDir })).files.length > 0;
    default:
      return kind satisfies never;
  }
};

describe("each place from which a project is read", () => {
  test.each(DEFINING_PLACES.map((place) => [`${place.kind} ${place.at}`, place] as const))(
    "I3, I5: %s is read, and no agent writes it unasked",
    async (_, place) => {
      const file = fileOf(place);
      for (const prefix of ["", "packages/x/"]) expect([file, protectionOf(prefix + file)?.write]).toEqual([file, place.write]);
      for (const odd of [file.toUpperCase(), `${file}.`, file.replace(/\/(?=[^/]*$)/, "//")])
        expect([odd, protectionOf(odd)?.write]).toEqual([odd, place.write]);
      // Our own settings are read by another room.
      if (place.at === "retinue.yaml") return;
      await mkdir(path.join(folders.projectDir, "prompts/roles"), { recursive: true });
      await folders.write("project/prompts/roles/p.md", "P.");
      await folders.write(`project/${file}`, SAMPLES[place.kind].text);
      expect(await isLoaded(place)).toBe(true);
    },
  );

  test("is in the table for every dialect", () => {
    const kindsOf = (dialect: string) =>
      new Set(DEFINING_PLACES.filter((one) => one.dialect === dialect).map(({ kind }) => kind));
    for (const dialect of ["retinue", "claude-code", "opencode"])
      for (const kind of ["agents", "skills", "commands"] as const)
        expect([dialect, kindsOf(dialect).has(kind)]).toEqual([dialect, true]);
  });
});
