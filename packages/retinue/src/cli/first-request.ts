/** What the first request of a session costs here, and of what: a real run is begun on a record in memory, with a model that only looks at what it is sent. */
import { describeInstructions, findProjectFolders } from "@retinue/agents";
import type { Model, ModelRequest } from "@retinue/model";
import { NO_USAGE } from "@retinue/protocol";
import { createMemoryLog } from "@retinue/store";
import { createRetinue } from "../create-retinue.ts";
import { readProjectInstructions } from "../project-instructions.ts";
import { retinueHome } from "../settings/retinue-home.ts";
import type { InventoryOptions } from "./inventory.ts";

/** Tokens are bytes of what is sent, four to one. */
export type FirstRequest = {
  readonly total: number;
  /** The prompt of the main agent, without what follows. */
  readonly prompt: number;
  readonly instructions: number;
  /** The list of agents that can be started. */
  readonly agents: number;
  readonly messages: number;
  /** The dearest first. */
  readonly tools: readonly { readonly name: string; readonly tokens: number }[];
};

const TASK = "hello";

export const toTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);

export const measureFirstRequest = async ({ workspace, settings, env }: InventoryOptions): Promise<FirstRequest> => {
  const requests: ModelRequest[] = [];
  const retinue = await createRetinue({ workspace, settings, env, store: createMemoryLog(), model: createListener(requests) });
  try {
    // Whatever the main agent's file says of a worktree, none is made to look at a prompt.
    await (
      await retinue.run(TASK, { isolation: "none" })
    ).result;
  } finally {
    await retinue.close();
  }
  const [request] = requests;
  if (!request) throw new Error("no request was made");
  const { files } = await readInstructionFiles(retinue.folder, env);
  return toParts(request, describeInstructions(files, retinue.folder));
};

export const readInstructionFiles = async (folder: string, env: NodeJS.ProcessEnv) =>
  readProjectInstructions({
    project: await findProjectFolders(folder, env["HOME"]),
    folder,
    userDir: retinueHome(env),
    homeDir: env["HOME"],
    configDir: env["XDG_CONFIG_HOME"],
  });

const createListener = (requests: ModelRequest[]): Model => ({
  id: "doctor/listener",
  price: () => 0,
  stream: async function* (request) {
    requests.push(request);
    yield {
      type: "answer",
      content: [{ type: "text", text: "Heard." }],
      finishReason: "stop",
      usage: NO_USAGE,
      costUsd: 0,
    };
  },
});

const AGENTS_BEGIN = "### When to Delegate\n";
const AGENTS_END = "### When NOT to Delegate\n";

const toParts = ({ system, tools, messages }: ModelRequest, told: string): FirstRequest => {
  const instructions = told !== "" && system.includes(told) ? toTokens(told) : 0;
  // Instructions stand before it, and may hold the same words.
  const begin = system.lastIndexOf(AGENTS_BEGIN);
  const end = system.lastIndexOf(AGENTS_END);
  const agents = begin === -1 || end < begin ? 0 : toTokens(system.slice(begin + AGENTS_BEGIN.length, end).trim());
  const measured = {
    prompt: Math.max(0, toTokens(system) - instructions - agents),
    instructions,
    agents,
    messages: toTokens(JSON.stringify(messages)),
  };
  const byTool = tools
    .map((tool) => ({ name: tool.name, tokens: toTokens(JSON.stringify(tool)) }))
    .toSorted((one, other) => other.tokens - one.tokens);
  const total = [...Object.values(measured), ...byTool.map(({ tokens }) => tokens)].reduce((sum, tokens) => sum + tokens, 0);
  return { total, ...measured, tools: byTool };
};
