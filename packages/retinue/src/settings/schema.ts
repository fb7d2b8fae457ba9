/**
 * The schema of one source of settings, and the one declaration of what can be set: types follow from it (`settings.ts`). Its descriptions are what editors
 * show, its messages what a user reads.
 */
import { z } from "zod";
import { THINKING_LEVELS } from "@retinue/protocol";
import { HOOK_EVENTS, PRESET_NAMES, PROVIDER_TYPES } from "./choices.ts";

/** The longest a timer of Node can wait. */
const MOST_MS = 2_147_483_647;

const count = (least: number, description: string) =>
  z.int().min(least).max(Number.MAX_SAFE_INTEGER).optional().describe(description);
const duration = (least: number, description: string) => z.int().min(least).max(MOST_MS).optional().describe(description);

const modelName = z.string().regex(/^\S+$/, "must be provider/model or a name from models, without spaces");

const isHttpUrl = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (url?.protocol === "http:" || url?.protocol === "https:") && url.username === "" && url.password === "";
};

const isPostgresUrl = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (url?.protocol === "postgres:" || url?.protocol === "postgresql:") && url.hostname !== "";
};

const provider = z.strictObject({
  type: z.enum(PROVIDER_TYPES).optional().describe("What it is. Without it: the type of the same name, else openai-compatible."),
  baseUrl: z
    .string()
    .refine(isHttpUrl, "must be a URL that begins with http:// or https:// and holds no user or password")
    .optional()
    .describe("Where it answers, up to and without /chat/completions or /messages, like http://127.0.0.1:8080/v1."),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, "must be the NAME of an environment variable; the key itself never stands in settings")
    .optional()
    .describe("The name of the environment variable that holds the key."),
  headers: z
    .record(
      z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, "is not a header name"),
      z.string().regex(/^[\t\x20-\x7e]*$/, "must be one line of printable ASCII"),
    )
    .optional()
    .describe("Headers added to every request; {env:NAME} stands for a variable. Their values are secrets."),
  query: z
    .record(z.string().regex(/^[\w.-]+$/, "is not a name of a query"), z.string())
    .optional()
    .describe("Added to the address of every request, like api-version; {env:NAME} stands for a variable."),
  apiKeyFile: z.string().min(1).optional().describe("A file that holds the key and nothing besides."),
  apiKeyCommand: z
    .string()
    .min(1)
    .optional()
    .describe(
      "A command that prints the key, like `pass show openai`. Only in your own settings; run once, when a model is first asked for.",
    ),
  proxy: z
    .string()
    .refine(
      (text) => text === "none" || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)),
      "must be an http or https URL, or none",
    )
    .optional()
    .describe("A proxy for its requests, in place of HTTPS_PROXY, HTTP_PROXY and NO_PROXY; none for no proxy."),
  ca: z
    .string()
    .min(1)
    .optional()
    .describe("A PEM file of certificates to trust besides the usual ones; NODE_EXTRA_CA_CERTS does so for all."),
  protocol: z
    .enum(["responses", "chat"])
    .optional()
    .describe("What a provider of the type openai speaks. Without it: responses at OpenAI and Azure, chat elsewhere."),
  maxConcurrent: count(1, "How many requests may be under way at once, over all runs of the process."),
  contextWindow: count(
    1_024,
    "Tokens that its models can hold, in place of what is known of them. Ollama is asked for as many (num_ctx); without it, Ollama cuts off what is longer than its own default.",
  ),
  repairCalls: z
    .boolean()
    .optional()
    .describe(
      "Whether calls that its models write as text or with slightly wrong arguments are repaired. Without it: unless the model is a large one of OpenAI, Anthropic, Google or xAI.",
    ),
});

const modelOverride = z.strictObject({
  price: z
    .strictObject({ input: z.number().min(0), output: z.number().min(0), cached: z.number().min(0).exactOptional() })
    .exactOptional()
    .describe("US dollars for a million tokens."),
  contextWindow: z.int().min(1).exactOptional().describe("How many tokens it holds."),
  outputTokens: z.int().min(1).exactOptional().describe("The most tokens of one answer."),
  images: z.boolean().exactOptional().describe("Whether it reads images."),
  temperature: z.boolean().exactOptional().describe("Whether it takes a temperature."),
});

const thinking = z.union([z.enum(THINKING_LEVELS), z.int().min(1)], "is off, low, medium, high, max or a number of tokens");

const limits = z.strictObject({
  iterations: count(1, "Model calls of a run."),
  toolCalls: count(0, "Tool calls of a run."),
  durationMs: duration(1, "Time of a run; waiting for a human does not count."),
  contextTokens: count(1, "Size of one request; older context is cleared and summarised before it is passed."),
  tokens: count(1, "Input and output tokens of all model calls of a run."),
  costUsd: z.number().min(0).optional().describe("Money of a run, in US dollars."),
});

const resultTokens = (description: string) => count(100, description);

const agentSettings = z.strictObject({
  model: modelName.optional().describe("In place of the model of its file."),
  limits: limits.optional().describe("Of each of its runs, above those of its file."),
  maxOutputTokens: count(1, "Tokens of one answer of its model, in place of what its file says."),
  temperature: z.number().min(0).max(2).optional().describe("Of its model, in place of that of its file."),
  thinking: thinking.optional().describe("How hard its model thinks, in place of what its file says."),
  tools: z.array(z.string().min(1)).optional().describe("Names or globs, in place of those of its file."),
  delegates: z.array(z.string().min(1)).optional().describe("Agents it may start, in place of those of its file."),
  resultTokens: resultTokens("How many tokens of its answer enter the context of whoever started it."),
  summarize: z
    .enum(["none", "model"])
    .optional()
    .describe(
      "none: whoever started it reads its answer. model: a summary of it by the model named cheap, and the answer is kept.",
    ),
});

export const settingsSchema = z.strictObject({
  model: modelName.optional().describe("provider/model or a name from models. Without it, what is reachable is detected."),
  models: z
    .record(z.string().regex(/^\S+$/, "is not a name: no spaces"), modelName)
    .optional()
    .describe("Short names for models, as in cheap: deepseek/deepseek-v4-flash."),
  catalogue: z
    .record(z.string().regex(/^[^\s/]+\/\S+$/, "is not provider/model"), modelOverride)
    .optional()
    .describe("What holds for models above what the catalogue says, by provider/model; a * at the end stands for any rest."),
  thinking: thinking
    .optional()
    .describe(
      "How hard models think: off, low, medium, high, max, or at most so many tokens. Agents may say otherwise. Without it: as each model does by itself.",
    ),
  providers: z
    .record(z.string().regex(/^[A-Za-z][\w.-]*$/, "is not a provider name: a letter, then letters, digits, . _ -"), provider)
    .optional()
    .describe("Servers that models are asked at, by the name that stands before the slash of a model."),
  retry: z
    .strictObject({
      attempts: z.int().min(1).max(20).optional().describe("How often a request is tried in all. Default 4."),
      maxWaitMs: duration(0, "The longest wait before one more try. Default 60000."),
      unreachableMs: duration(
        0,
        "How long a run waits for a model that cannot be reached, when no fallback answers either; then it is left open, to be resumed. Default 300000.",
      ),
    })
    .optional()
    .describe("What happens when a provider fails or says later."),
  streamIdleMs: duration(1, "How long a stream may stay silent before it counts as dead. Default 120000."),
  limits: limits.optional().describe("Limits of the main run, above those of its agent's file, and of everything below it."),
  agent: z
    .strictObject({
      maxDepth: z.int().min(0).max(32).optional().describe("How deep delegations may nest. 0: none. Default 3."),
      maxConcurrent: z.int().min(1).max(1000).optional().describe("How many sub-agents of one run work at once. Default 3."),
      maxChildren: z.int().min(0).max(100_000).optional().describe("How many sub-agents one run may start in all. Default 100."),
      statsInPrompt: z
        .boolean()
        .optional()
        .describe("Whether the main agent is told how its sub-agents did so far: success, time, cost. Default false."),
      resultTokens: resultTokens(
        "How many tokens of a sub-agent's answer enter its parent's context; the whole of a longer one is kept beside. Default 4000.",
      ),
      presets: z
        .array(z.enum(PRESET_NAMES))
        .optional()
        .describe(
          "Designs whose numbers the built-in agents take in place of the strictest, like [s1]. Of several the later wins.",
        ),
    })
    .optional()
    .describe("Delegation."),
  agents: z
    .record(z.string().regex(/^[A-Za-z][\w-]*$/, "is not an agent's name: a letter, then letters, digits, _ -"), agentSettings)
    .optional()
    .describe("What holds for agents above what their files say, by name; for built-in ones too."),
  plan: z
    .strictObject({
      maxSteps: z.int().min(1).max(1000).optional().describe("How many steps a plan may have. Default 30."),
      maxRecoveries: z
        .int()
        .min(0)
        .max(10)
        .optional()
        .describe("How often a step that failed is tried again after a recovery. Default 1."),
      maxConcurrent: z
        .int()
        .min(1)
        .max(1000)
        .optional()
        .describe("How many steps that do not depend on each other are carried out at once. Without it: agent.maxConcurrent."),
      stateChars: count(
        200,
        "How many characters of what was done before a step is told; more is compressed by the orchestrator. Default 4000.",
      ),
    })
    .optional()
    .describe(
      "Plans. What carries out their steps and decides after failures is set as agents, by name: orchestrator, qa-orchestrator, qa-step.",
    ),
  store: z
    .strictObject({
      path: z.string().min(1).optional().describe("The SQLite file of all sessions. Default: retinue.db in your folder."),
      url: z
        .string()
        .refine(isPostgresUrl, "must be a URL that begins with postgres:// or postgresql:// and names a host")
        .optional()
        .describe(
          "A PostgreSQL database in place of the file, like postgres://user@host:5432/database. " +
            "With a password in it, better set as RETINUE_STORE_URL.",
        ),
      synchronous: z
        .enum(["NORMAL", "FULL"])
        .optional()
        .describe("NORMAL: a killed process loses nothing. FULL: nor does a power cut, at some cost. Default NORMAL."),
    })
    .optional()
    .describe("Where sessions are recorded."),
  mcpServers: z
    .record(
      z.string().regex(/^[A-Za-z][\w-]*$/, "is not a server name: a letter, then letters, digits, _ -"),
      z.union([
        z.strictObject({
          command: z.string().min(1).describe("The program that is started."),
          args: z.array(z.string()).optional().describe("Its arguments."),
          env: z.record(z.string(), z.string()).optional().describe("Variables it is given, beside a few harmless ones."),
          cwd: z.string().optional().describe("The folder it is started in."),
          sandbox: z
            .boolean()
            .optional()
            .describe("false: it runs with all your rights. By default it is kept in a sandbox where the machine has one."),
          writes: z
            .array(z.string().min(1))
            .optional()
            .describe("Globs of what it may write, relative to the workspace, in a sandbox. Nothing by default."),
          hosts: z
            .array(z.string().min(1))
            .optional()
            .describe(
              "Hosts that it may reach from the sandbox, like example.com or *.example.com:443. Every public one by default.",
            ),
        }),
        z.strictObject({
          url: z.string().refine(isHttpUrl, "must be a URL that begins with http:// or https:// and holds no user or password"),
          headers: z.record(z.string(), z.string()).optional().describe("Headers added to every request."),
        }),
      ]),
    )
    .optional()
    .describe("Servers whose tools agents may use, named server.tool. Those of a project are started only when it is trusted."),
  hooks: z
    .array(
      z.strictObject({
        on: z.enum(HOOK_EVENTS).describe("When it is run."),
        match: z.string().optional().describe("A glob of tool names. Without it: every tool."),
        command: z
          .string()
          .min(1)
          .describe(
            "A shell command. It reads JSON on its standard input; exit 2 denies, JSON on stdout may deny, ask or add context.",
          ),
        timeoutMs: duration(1, "How long it may take. Default 10000."),
        sandbox: z
          .boolean()
          .optional()
          .describe("false: it runs with all your rights. By default it is kept in a sandbox where the machine has one."),
      }),
    )
    .optional()
    .describe("Commands that see tool calls and runs. They may deny, ask or add context, never allow."),
  web: z
    .strictObject({
      allowHosts: z.array(z.string()).optional().describe("Hosts that may be reached although they are private."),
      denyHosts: z.array(z.string()).optional().describe("Hosts that may not be reached."),
      search: z
        .strictObject({
          engine: z.enum(["searxng", "brave", "tavily"]),
          baseUrl: z.string().refine(isHttpUrl, "must be a URL that begins with http:// or https://").optional(),
          apiKeyEnv: z
            .string()
            .regex(/^[A-Za-z_]\w*$/, "must be the NAME of an environment variable")
            .optional(),
        })
        .optional()
        .describe("Who answers web_search."),
    })
    .optional()
    .describe("The web tools."),
  browser: z
    .strictObject({
      enabled: z
        .boolean()
        .optional()
        .describe("Whether agents are given the tools of the browser. Default false; test cases have them anyway."),
      executable: z
        .string()
        .min(1)
        .optional()
        .describe("The program of a Chrome or Chromium. Without it: one of the system, then the one that npm brought."),
      headless: z.boolean().optional().describe("Whether it works without a window. Default true."),
      allowHosts: z
        .array(z.string())
        .optional()
        .describe(
          "Hosts that pages may reach although they are private or on this machine, like 127.0.0.1:8080, beside those of web.allowHosts. " +
            "Those of a project hold only when it is trusted.",
        ),
      secretOrigins: z
        .record(z.string(), z.array(z.url({ protocol: /^https?$/ })))
        .optional()
        .describe(
          "Sites that a secret may be typed at, by its name, like { SHOP_PASSWORD: [https://shop.example] }. Others are refused.",
        ),
    })
    .optional()
    .describe("The browser."),
  desktop: z
    .strictObject({
      enabled: z.boolean().optional().describe("Whether agents are given the tools of the screen. Default false."),
      display: z
        .string()
        .regex(/^[\w.-]*:\d+(?:\.\d+)?$/, "must be an X display like :0")
        .optional()
        .describe("The X display that they work on. Without it: that of the environment."),
    })
    .optional()
    .describe("The screen of this machine, on X."),
  visionModel: modelName
    .optional()
    .describe("Answers questions about screenshots. Without it: the agent's own model, if it reads images."),
  databases: z
    .record(z.string().regex(/^[A-Za-z][\w-]*$/, "is not a name"), z.string().min(1))
    .optional()
    .describe("SQLite files and PostgreSQL URLs that query_db may read, by name."),
  adminDatabases: z
    .array(z.string().min(1))
    .optional()
    .describe(
      "Names of databases whose login may be a superuser, or have a role by which it reaches files and programs of the server. " +
        "Others are refused such a login.",
    ),
  approvals: z
    .strictObject({
      unattended: z
        .enum(["deny", "park"])
        .optional()
        .describe("When nobody can be asked: deny answers no, park waits until somebody answers. Default deny."),
      expiresMs: duration(1, "How long a question stays open before the answer is no. Without it: for ever."),
    })
    .optional()
    .describe("Questions to humans."),
  serve: z
    .strictObject({
      takeUp: z
        .enum(["all", "news", "none"])
        .optional()
        .describe(
          "Which open runs that nobody drives a server continues by itself. all: those that a server began, and those that somebody spoke to. " +
            "news: only those that somebody spoke to. none: none. Default all.",
        ),
    })
    .optional()
    .describe("`retinue serve`."),
  approve: z
    .enum(["ask", "read-only", "workspace", "all"])
    .optional()
    .describe(
      "What acts that are more than reading need. ask: somebody is asked. read-only: they are refused. " +
        "workspace: writing inside the workspace passes, the rest is asked. all: everything passes. A project file may only narrow it.",
    ),
  unprotected: z
    .array(
      z
        .string()
        .min(1)
        .regex(/^(?!\/|~|\.\.)/, "must be relative to the workspace"),
    )
    .optional()
    .describe(
      "Globs of protected paths, like .env.test or .github/**, that agents may read and write as they may others. " +
        "Those of a project hold only when it is trusted.",
    ),
  sandbox: z
    .strictObject({
      loopback: z
        .array(z.int().min(1024, "must be 1024 or more: lower ports cannot be opened in a sandbox").max(65_535))
        .optional()
        .describe(
          "Ports of this machine's loopback that commands and servers in the sandbox reach on the same port of their own loopback, " +
            "such as 5432 for a test suite that needs the local database. None by default. Those of a project hold only when it is trusted.",
        ),
      read: z
        .array(z.string().regex(/^(?:\/|~\/)./, "must be an absolute path, or begin with ~/"))
        .optional()
        .describe(
          "Files and folders of this machine that commands and servers in the sandbox may read, such as /srv/fixtures. They see the system, tool chains and the " +
            "project, and nothing else. Those of a project hold only when it is trusted.",
        ),
      unixSockets: z
        .boolean()
        .optional()
        .describe(
          "Whether commands and servers in the sandbox may make Unix sockets and connect to their own, as a test database may need. Default false. " +
            "True in a project holds only when it is trusted.",
        ),
    })
    .optional()
    .describe("The sandbox of commands, hooks and MCP servers."),
  terminal: z
    .strictObject({
      fullscreen: z
        .boolean()
        .optional()
        .describe(
          "Whether `retinue` alone draws on a screen of its own, with page up and page down, and leaves what was said on the terminal at its end. Default false: it writes to the terminal's own scrollback.",
        ),
    })
    .optional()
    .describe("How the terminal is drawn on."),
  allowUnsandboxed: z
    .boolean()
    .optional()
    .describe(
      "Whether commands run unasked where the machine has no sandbox to keep agents to what they may write and reach, or where it does not work. " +
        "Default false. That of a project holds only when it is trusted.",
    ),
});
