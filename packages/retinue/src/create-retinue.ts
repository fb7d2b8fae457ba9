/**
 * The composition root: models, tools, agents, log and engine become one thing that runs tasks. Everything that is wrong with the
 * configuration is thrown here, before anything runs.
 */
import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { readBuiltinAgents } from "@retinue/agents";
import type { RunHandle } from "@retinue/engine";
import { createEmbeddedEngine } from "@retinue/engine";
import type { Model } from "@retinue/model";
import { chooseModel, createModels, detectProviders, fromAiSdk, isAiSdkModel } from "@retinue/model";
import type { ApproveMode, Limits, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { AnyTool, Ports } from "@retinue/runtime";
import { createSpec, stricter } from "@retinue/runtime";
import type { EventLog } from "@retinue/store";
import { createMemoryLog } from "@retinue/store";
import { createBuiltinTools } from "@retinue/tools";
import { createId } from "./create-id.ts";
import { loadSettings } from "./settings/load-settings.ts";
import type { Settings } from "./settings/settings.ts";
import { realPath, systemClock } from "./system-ports.ts";

/** Any `LanguageModelV4`, whoever provides it. */
type AiSdkModel = Parameters<typeof fromAiSdk>[0];

export type RetinueOptions = {
  /** The folder that agents work in; the current one by default. */
  readonly workspace?: string;
  /** By default what `retinue.yaml`, the environment and the defaults say. */
  readonly settings?: Settings;
  readonly env?: NodeJS.ProcessEnv;
  /** In addition to the built-in ones. */
  readonly tools?: readonly AnyTool[];
  /** A name as in settings, one of our models, or any AI SDK model as it is. */
  readonly model?: string | Model | AiSdkModel;
  readonly log?: EventLog;
  /** Asked before acts that need it. Without one such acts are denied. */
  readonly approver?: NonNullable<Ports["approve"]>;
};

export type RunOptions = {
  /** `main` by default. */
  readonly agent?: string;
  readonly model?: string;
  readonly limits?: Limits;
  readonly approve?: ApproveMode;
  /** Goes on with the conversation of this session. */
  readonly sessionId?: SessionId;
  readonly signal?: AbortSignal;
};

export type Retinue = {
  /** Resolves when the request is recorded; the run then works on its own. */
  readonly run: (task: string, options?: RunOptions) => Promise<RunHandle>;
  /** The model that is used where neither agent nor run names one. */
  readonly model: string;
  /** Cancels what runs, waits for it and lets go of everything. */
  readonly close: () => Promise<void>;
};

const MOST_TASK_BYTES = 8 * 1024 * 1024;
const DETECT_MS = 500;
const MOST_CHILDREN = 100;

export const createRetinue = async (options: RetinueOptions = {}): Promise<Retinue> => {
  const env = options.env ?? process.env;
  const workspace = await realWorkspace(options.workspace ?? process.cwd());
  const settings = options.settings ?? (await loadSettings({ workspace, env })).settings;
  const tools = collectTools([...createBuiltinTools(), ...(options.tools ?? [])]);
  const agents = await readBuiltinAgents();
  const log = options.log ?? createMemoryLog();
  const models = createModels({
    providers: settings.providers,
    models: settings.models,
    retry: settings.retry,
    streamIdleMs: settings.streamIdleMs,
    env,
  });
  const given = typeof options.model === "object" ? toModel(options.model, settings) : undefined;
  const model =
    given?.id ??
    (typeof options.model === "string" ? options.model : undefined) ??
    settings.model ??
    chooseModel(await detectProviders({ env, providers: settings.providers, timeoutMs: DETECT_MS }));
  const resolve = async (name: string): Promise<Model> => (name === given?.id ? given : models.resolve(name));

  const engine = createEmbeddedEngine({
    log,
    createId,
    ports: {
      model: resolve,
      tool: (name) => tools.get(name),
      clock: systemClock,
      realPath,
      readFile: (file) => readFile(path.resolve(workspace, file), "utf8"),
    },
    agents,
    model,
    maxConcurrent: settings.agent.maxConcurrent,
    maxChildren: MOST_CHILDREN,
    approver: options.approver,
    unattended: "deny",
  });

  return {
    model,
    run: async (task, run = {}) => {
      if (task.trim() === "") throw new RetinueError("task_empty", "There is no task.");
      if (Buffer.byteLength(task) > MOST_TASK_BYTES)
        throw new RetinueError(
          "task_too_large",
          `The task has ${Buffer.byteLength(task)} bytes; ${MOST_TASK_BYTES} is the most.`,
        );
      const name = run.agent ?? "main";
      const agent = agents.get(name);
      if (!agent)
        throw new RetinueError("agent_unknown", `There is no agent "${name}". There are: ${[...agents.keys()].join(", ")}.`);
      const spec = createSpec({
        agent: run.model === undefined ? agent : { ...agent, model: run.model },
        agents,
        grant: {
          tools: [...tools.keys()],
          writes: [],
          hosts: [],
          approve: run.approve ?? settings.approve,
          maxDepth: settings.agent.maxDepth,
        },
        model,
        workspace,
        depth: 0,
        request: { limits: stricter(settings.limits, run.limits ?? {}) },
        summaryModel: settings.models["cheap"] === undefined ? undefined : "cheap",
      });
      // A name that nobody configured is the caller's mistake, and is told before the run is admitted.
      await resolve(spec.model);
      return engine.start({
        agent: name,
        task: [{ type: "text", text: task }],
        spec,
        ...(run.sessionId === undefined ? {} : { sessionId: run.sessionId }),
        ...(run.signal === undefined ? {} : { signal: run.signal }),
      });
    },
    close: async () => {
      await engine.close();
      await log.close();
    },
  };
};

const realWorkspace = async (folder: string): Promise<string> => {
  try {
    return await realpath(folder);
  } catch (cause) {
    throw new RetinueError("usage", `The workspace ${folder} cannot be opened.`, { hint: "Name a folder that exists.", cause });
  }
};

const collectTools = (all: readonly AnyTool[]): ReadonlyMap<string, AnyTool> => {
  const tools = new Map<string, AnyTool>();
  for (const tool of all) {
    if (tools.has(tool.name)) throw new RetinueError("tool_name_taken", `There are two tools named "${tool.name}".`);
    tools.set(tool.name, tool);
  }
  return tools;
};

const toModel = (model: Model | AiSdkModel, { retry, streamIdleMs }: Settings): Model =>
  isAiSdkModel(model) ? fromAiSdk(model, { retry, streamIdleMs }) : model;
