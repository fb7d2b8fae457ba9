/** The settings file of a new project: everything that is set and everything that could be, the latter commented out. */

/** The schema lies beside the agents, so that editors find it without a network. */
export const SCHEMA_FILE = "retinue.schema.json";

const MODEL_LINE = "# model: anthropic/claude-sonnet-5";

const TEMPLATE = `# yaml-language-server: $schema=./.retinue/${SCHEMA_FILE}
# Settings of Retinue for this project. Your own are in ~/.retinue/retinue.yaml; RETINUE_… variables and flags go over both.
# What is commented out shows the default or an example. \`retinue doctor\` tells what is in force and why.

# The model, as provider/model. Without it, what is reachable is detected: keys in the environment, then local servers.
${MODEL_LINE}

# Servers besides the known ones. The key itself never stands here: apiKeyEnv names the variable that holds it.
# providers:
#   local:
#     type: openai-compatible
#     baseUrl: http://127.0.0.1:8080/v1
#     apiKeyEnv: LOCAL_API_KEY

# Short names for models.
# models:
#   cheap: deepseek/deepseek-v4-flash

# What a run may use up before it has to hand in what it has.
# limits:
#   iterations: 50
#   durationMs: 600000
#   costUsd: 1

# What acts that are more than reading need: ask, read-only, workspace or all. A project may only narrow it.
# approve: ask

# streamIdleMs: 120000
# retry:
#   attempts: 4
#   maxWaitMs: 60000
#   unreachableMs: 300000
# agent:
#   maxDepth: 3
#   maxConcurrent: 3
#   statsInPrompt: false
`;

/** Without a model each start looks for one. */
export const settingsText = (model: string | undefined): string =>
  model === undefined ? TEMPLATE : TEMPLATE.replace(MODEL_LINE, () => `model: ${JSON.stringify(model)}`);
