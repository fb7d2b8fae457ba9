/** Where agents and skills are looked for, in the order in which they count: what is found later takes the place of what was found before. */
import path from "node:path";
import { DEFINING_PLACES } from "@retinue/runtime";

export type Origin = "built-in" | "user" | "project";

export type PlaceOptions = {
  /** The user's folder of Retinue; agents are in `agents/`, skills in `skills/`. */
  readonly userDir?: string;
  /** The project; agents are in `.retinue/agents/` and where other worlds keep them. */
  readonly projectDir?: string;
  /** Folders of the project below it, down to the one that is worked in, which may have agents and skills of their own. */
  readonly innerDirs?: readonly string[];
  /** The user's home, for what the user has of other worlds. Absent: it is not looked for. */
  readonly homeDir?: string;
  /** Where other programs keep the user's settings; `.config` in the home by default. */
  readonly configDir?: string;
  /** A file with `AgentRoles`, relative to the project; `appsettings.json` by default. */
  readonly agentRolesFile?: string;
};

type Common = {
  readonly origin: "user" | "project";
  /** Nothing that leads out of here is read. */
  readonly inside?: string;
};

export type Place = Common &
  (
    | { readonly type: "markdown"; readonly dialect: "retinue" | "claude-code" | "opencode"; readonly folder: string }
    | { readonly type: "skill-yaml"; readonly folder: string }
    | { readonly type: "agent-roles"; readonly file: string; readonly isNamed: boolean }
    | { readonly type: "opencode-config"; readonly file: string }
    | { readonly type: "skills"; readonly folder: string }
  );

export const toPlaces = (options: PlaceOptions): readonly Place[] => [
  ...userPlaces(options),
  ...projectPlaces(options),
  ...(options.innerDirs ?? []).flatMap((projectDir) => projectPlaces({ projectDir })),
];

/** Their agents count before those of files of their own. */
const OPENCODE_CONFIGS = ["opencode.json", "opencode.jsonc"] as const;
const PROJECT_CONFIGS = [...OPENCODE_CONFIGS, ...OPENCODE_CONFIGS.map((name) => `.opencode/${name}`)];

const userPlaces = ({
  userDir,
  homeDir,
  configDir = homeDir && path.join(homeDir, ".config"),
}: PlaceOptions): readonly Place[] => {
  const user = { origin: "user" } as const;
  const home = (...names: string[]): string[] => (homeDir === undefined ? [] : [path.join(homeDir, ...names)]);
  const opencode = (name: string): string[] => (configDir === undefined ? [] : [path.join(configDir, "opencode", name)]);
  const own = (name: string): string[] => (userDir === undefined ? [] : [path.join(userDir, name)]);
  return [
    ...home(".claude", "agents").map((folder) => ({ ...user, type: "markdown", dialect: "claude-code", folder }) as const),
    ...OPENCODE_CONFIGS.flatMap(opencode).map((file) => ({ ...user, type: "opencode-config", file }) as const),
    ...["agent", "agents"]
      .flatMap(opencode)
      .map((folder) => ({ ...user, type: "markdown", dialect: "opencode", folder }) as const),
    ...own("agents").map((folder) => ({ ...user, type: "markdown", dialect: "retinue", folder }) as const),
    ...[
      ...home(".claude", "skills"),
      ...home(".agents", "skills"),
      ...["skill", "skills"].flatMap(opencode),
      ...own("skills"),
    ].map((folder) => ({ ...user, type: "skills", folder }) as const),
  ];
};

/** Where each kind of place of the table is read from; what is read elsewhere, or when another file names it, is no place of its own. */
const projectPlaces = ({ projectDir, agentRolesFile }: PlaceOptions): readonly Place[] => {
  if (projectDir === undefined) return [];
  const project = { origin: "project", inside: projectDir } as const;
  return DEFINING_PLACES.flatMap(({ kind, dialect, at }): readonly Place[] => {
    const below = path.join(projectDir, at);
    switch (kind) {
      case "agents":
        if (dialect === "any") return [];
        return [
          ...(at === ".opencode/agent"
            ? PROJECT_CONFIGS.map((name) => ({ ...project, type: "opencode-config", file: path.join(projectDir, name) }) as const)
            : []),
          { ...project, type: "markdown", dialect, folder: below },
        ];
      case "skill-yaml":
        return [{ ...project, type: "skill-yaml", folder: below }];
      case "agent-roles":
        return [
          {
            ...project,
            type: "agent-roles",
            file: agentRolesFile === undefined ? below : path.join(projectDir, agentRolesFile),
            isNamed: agentRolesFile !== undefined,
          },
        ];
      case "skills":
        return [{ ...project, type: "skills", folder: below }];
      case "commands":
      case "instructions":
      case "prompts":
      case "settings":
        return [];
      default:
        return kind satisfies never;
    }
  });
};
