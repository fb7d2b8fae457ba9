/** Calls of the server about a folder: what it brings, what is in force there, and which files can be named. */
import { listFiles, createSecretCheck } from "@retinue/confine";
import { detectProviders } from "@retinue/model";
import { toDeclaration } from "@retinue/runtime";
import path from "node:path";
import { PassThrough } from "node:stream";
import type { RouteOutput } from "@retinue/protocol/routes";
import type { ReadonlyDeep } from "@retinue/server";
import { createDoctorReport, listSettings } from "../cli/doctor-report.ts";
import { PROMPT_COMMANDS } from "../cli/prompt-commands.ts";
import { createSurroundings } from "../cli/surroundings.ts";
import { readFolderCommands } from "../folder-commands.ts";
import { readAgentCatalogue } from "./agent-catalogue.ts";
import type { BackendGround, SomeCalls } from "./backend-ground.ts";
import { rankFiles } from "./rank-files.ts";
import type { Served } from "./served-workspaces.ts";

type WorkspaceCall =
  | "listWorkspaces"
  | "openWorkspace"
  | "listSkills"
  | "listTools"
  | "listCommands"
  | "listFiles"
  | "listSettings"
  | "listModels"
  | "getDoctor";

const USUAL_FILES = 20;
const LIST_MS = 10_000;
const DETECT_MS = 1_000;

const toItem = ({ workspaceId, workspace }: Served): ReadonlyDeep<RouteOutput<"openWorkspace">> => ({
  workspaceId,
  folder: workspace.folder,
  name: path.basename(workspace.folder) || workspace.folder,
  model: workspace.model,
  isOffline: workspace.model.startsWith("offline/"),
  agentCount: workspace.agents.size,
  toolCount: workspace.tools.size,
  problems: [...(workspace.unsandboxed === undefined ? [] : [workspace.unsandboxed]), ...workspace.problems],
  untrusted: workspace.untrusted.map(({ subject, shown }) => ({ subject, shown })),
});

export const createWorkspaceCalls = ({ workspaces, env }: BackendGround): SomeCalls<WorkspaceCall> => ({
  listWorkspaces: async () => ({ workspaces: workspaces.list().map(toItem) }),
  openWorkspace: async ({ body: { folder } }) => toItem(await workspaces.at(folder)),
  listSkills: async ({ params: { workspaceId } }) => {
    const { inventory } = await readAgentCatalogue(workspaces.of(workspaceId), { env });
    return { skills: [...inventory.loaded.skills.values()] };
  },
  listTools: async ({ params: { workspaceId } }) => ({
    tools: [...workspaces.of(workspaceId).workspace.tools.values()].map((tool) => ({
      name: tool.name,
      description: tool.description,
      effect: tool.effect,
      input: toDeclaration(tool).inputSchema,
    })),
  }),
  listCommands: async ({ params: { workspaceId } }) => {
    const served = workspaces.of(workspaceId);
    const { inventory } = await readAgentCatalogue(served, { env });
    const { workspace, loaded } = served;
    const files = await readFolderCommands({ folder: workspace.folder, settings: loaded.settings, env });
    return {
      commands: [
        ...PROMPT_COMMANDS.map((command) => ({ ...command, kind: "command" as const })),
        ...[...files.commands.values()].map(({ name, description, argumentHint }) => ({
          name: `/${name}`,
          description,
          kind: "command" as const,
          ...(argumentHint === "" ? {} : { argument: argumentHint }),
        })),
        ...[...inventory.loaded.skills.values()].map(({ name, description }) => ({
          name: `/${name}`,
          description,
          kind: "skill" as const,
        })),
      ],
    };
  },
  listFiles: async ({ params: { workspaceId }, query: { search = "", limit = USUAL_FILES } }) => {
    const { workspace, loaded } = workspaces.of(workspaceId);
    const isSecret = createSecretCheck(loaded.settings.unprotected);
    const { files } = await listFiles(workspace.folder, AbortSignal.timeout(LIST_MS));
    return {
      files: rankFiles(files, search)
        .filter((file) => !isSecret(file))
        .slice(0, limit),
    };
  },
  listSettings: async ({ params: { workspaceId } }) => {
    const { loaded } = workspaces.of(workspaceId);
    return { settings: listSettings(loaded), files: loaded.files, warnings: loaded.warnings };
  },
  listModels: async ({ params: { workspaceId } }) => {
    const { workspace, loaded } = workspaces.of(workspaceId);
    const { settings } = loaded;
    const detected = await detectProviders({ env, providers: settings.providers, timeoutMs: DETECT_MS });
    const served = detected.flatMap((found) => {
      if (found.type === "server")
        return found.models.map(({ name }) => ({ name: `${found.provider}/${name}`, from: found.provider }));
      return found.type !== "key" || found.defaultModel === undefined ? [] : [{ name: found.defaultModel, from: found.provider }];
    });
    const named = Object.keys(settings.models).map((name) => ({ name, from: "settings" }));
    return { current: workspace.model, models: [...named, ...served] };
  },
  getDoctor: async ({ params: { workspaceId } }) => {
    const surroundings = createSurroundings({
      env,
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
    });
    const report = await createDoctorReport(
      { workspace: workspaces.of(workspaceId).workspace.folder, isLive: false },
      surroundings,
    );
    // Secrets that the settings lead to are known by now.
    return JSON.parse(surroundings.redact(JSON.stringify(report))) as typeof report;
  },
});
