/**
 * A server as the rest of Retinue knows it: its tools, each approved or withheld, and calls that reach it even after it had to be started
 * again. Whatever the server does, a call ends with a result or with a `RetinueError` that a model can read.
 */
import type { Progress, Tool as ServerTool } from "@modelcontextprotocol/client";
import type { Json, JsonObject } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { AnyTool, ToolContext, ToolOutput } from "@retinue/runtime";
import { defineTool, neutralise } from "@retinue/runtime";
import { z } from "zod";
import { probeSandbox } from "@retinue/confine";
import { checkInput } from "./check-input.ts";
import { toShownText } from "./escape-hidden.ts";
import type { Redact } from "./expand-variables.ts";
import { toInputSchema } from "./input-schema.ts";
import type { LinkTarget, McpLink } from "./mcp-link.ts";
import { MOST_TOOLS, openLink } from "./mcp-link.ts";
import type { ServerLog } from "./mcp-log.ts";
import { toEffect } from "./to-effect.ts";
import { toOutput } from "./to-output.ts";
import { toToolName } from "./tool-name.ts";
import type { Pin, ToolPins } from "./tool-pins.ts";
import { toPin } from "./tool-pins.ts";

/** A tool that is not handed to models until somebody has read what it now says. */
export type WithheldTool = {
  readonly server: string;
  /** As a model would know it. */
  readonly name: string;
  /** As the server calls it. */
  readonly tool: string;
  readonly why: "new" | "changed";
  readonly now: Pin;
  /** What was approved before; of a changed one. */
  readonly before?: Pin;
};

export type McpServerOptions = {
  readonly name: string;
  readonly target: LinkTarget;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly pins: ToolPins;
  /** The name under which its tools are pinned. */
  readonly pinned: string;
  readonly redact: Redact;
  readonly log: ServerLog;
  /** Whether a full name belongs to somebody else. */
  readonly isTaken: (name: string) => boolean;
};

const MOST_DESCRIPTION_CHARS = 4000;
const MOST_ERROR_CHARS = 4000;
const PROGRESS_MS = 100;
/** Between two looks at the tools of a server that keeps saying that they changed. */
const REFRESH_MS = 200;

type Offered = { readonly hash: string; readonly tool: AnyTool } | { readonly withheld: WithheldTool };

const IN_SANDBOX =
  "Run its command by hand to see what is wrong. It runs in a sandbox that holds the system, tool chains and the project. In your settings, sandbox.read opens files to it, sandbox.loopback a port of this machine, sandbox.unixSockets Unix sockets; sandbox: false in its entry waives all of that.";

export class McpServer {
  readonly name: string;
  readonly #options: McpServerOptions;
  /** By the server's own names. */
  #offered: ReadonlyMap<string, Offered> = new Map();
  #link: McpLink | undefined;
  #opening: Promise<McpLink> | undefined;
  #refreshing: Promise<void> | undefined;
  #isStale = false;
  readonly #closing = new AbortController();

  constructor(options: McpServerOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Throws `mcp_server_failed`. */
  async connect(signal: AbortSignal): Promise<void> {
    try {
      await this.#ready(signal);
    } catch (thrown) {
      const { target } = this.#options;
      const isConfined = target.type === "stdio" && target.confine !== undefined && (await probeSandbox()).backend !== "none";
      throw new RetinueError("mcp_server_failed", this.#describe(thrown), {
        cause: thrown,
        ...(isConfined ? { hint: IN_SANDBOX } : {}),
      });
    }
  }

  tools(): AnyTool[] {
    return [...this.#offered.values()].flatMap((offered) => ("tool" in offered ? [offered.tool] : []));
  }

  withheld(): WithheldTool[] {
    return [...this.#offered.values()].flatMap((offered) => ("withheld" in offered ? [offered.withheld] : []));
  }

  /** Why it is not connected; undefined while it is. */
  ended(): string | undefined {
    return this.#link === undefined ? "it is not connected" : this.#link.ended();
  }

  /** What is approved is what was shown: should the tool have changed again since, it stays withheld. */
  async approve(tools: readonly WithheldTool[]): Promise<void> {
    await this.#options.pins.approve(this.#options.pinned, Object.fromEntries(tools.map(({ tool, now }) => [tool, now])));
    const link = this.#link;
    if (link !== undefined && link.ended() === undefined) await this.#refresh(link);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("it was closed"));
    await this.#opening?.catch(() => undefined);
    await this.#link?.close();
  }

  /** A live link whose tools have been looked at; one attempt to get it back where it was lost. */
  async #ready(signal: AbortSignal): Promise<McpLink> {
    this.#closing.signal.throwIfAborted();
    if (this.#link !== undefined && this.#link.ended() === undefined) {
      await this.#refreshing;
      if (this.#link.ended() === undefined) return this.#link;
    }
    this.#opening ??= this.#open(signal).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(signal: AbortSignal): Promise<McpLink> {
    const { target, connectTimeoutMs, log } = this.#options;
    const before = this.#link;
    this.#link = undefined;
    if (before !== undefined) {
      log.say("info", `is started again; it was lost because ${before.ended() ?? "it was closed"}`);
      await before.close();
    }
    const limit = AbortSignal.any([signal, this.#closing.signal, AbortSignal.timeout(connectTimeoutMs)]);
    let opened: McpLink | undefined;
    const link = await openLink({
      target,
      signal: limit,
      onPrint: log.print,
      onNote: (text) => log.say("warning", text),
      onToolsChanged: () => {
        if (opened !== undefined) void this.#refresh(opened);
      },
    });
    try {
      await this.#look(link, limit);
    } catch (thrown) {
      await link.close();
      throw thrown;
    }
    opened = link;
    this.#link = link;
    return link;
  }

  /** Calls wait for this, so that none reaches a tool that has just changed. */
  #refresh(link: McpLink): Promise<void> {
    this.#isStale = true;
    this.#refreshing ??= this.#refreshUntilFresh(link).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refreshUntilFresh(link: McpLink): Promise<void> {
    while (this.#isStale && link.ended() === undefined) {
      this.#isStale = false;
      try {
        await this.#look(link, AbortSignal.any([this.#closing.signal, AbortSignal.timeout(this.#options.connectTimeoutMs)]));
      } catch (thrown) {
        // Tools that cannot be looked at cannot be trusted; the next call starts the server again.
        this.#options.log.say("error", this.#describe(thrown));
        await link.close();
      }
      if (this.#isStale) await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
    }
  }

  async #look(link: McpLink, signal: AbortSignal): Promise<void> {
    const { name, pins, pinned, log, isTaken } = this.#options;
    const { tools: listed, isCut } = await link.list(signal);
    if (isCut) log.say("warning", `has more than ${MOST_TOOLS} tools; the others are left out`);
    const tools = new Map<string, ServerTool>();
    for (const tool of listed)
      if (tools.has(tool.name)) log.say("warning", `lists "${tool.name}" twice; the first is taken`);
      else tools.set(tool.name, tool);
    const verdicts = await pins.judge(pinned, [...tools.values()]);
    const names = new Set<string>();
    const offered = new Map<string, Offered>();
    for (const tool of tools.values()) {
      const full = toToolName(name, tool.name);
      if (isTaken(full) || names.has(full.toLowerCase())) {
        log.say("warning", `the tool "${tool.name}" is left out: ${full} is the name of another tool`);
        continue;
      }
      names.add(full.toLowerCase());
      const verdict = verdicts.get(tool) ?? { type: "new" };
      if (verdict.type !== "approved") {
        const before = verdict.type === "changed" ? { before: verdict.before } : {};
        offered.set(tool.name, {
          withheld: { server: name, name: full, tool: tool.name, why: verdict.type, now: toPin(tool), ...before },
        });
        log.say("warning", `the tool "${tool.name}" is withheld: it is ${verdict.type} since its server was approved`);
        continue;
      }
      const made = this.#make(full, tool);
      if (typeof made === "string") log.say("warning", `the tool "${tool.name}" is left out: ${made}`);
      else offered.set(tool.name, made);
    }
    this.#offered = offered;
  }

  /** Why not, where it cannot be used. */
  #make(name: string, tool: ServerTool): Offered | string {
    const { hash } = toPin(tool);
    const known = this.#offered.get(tool.name);
    if (known !== undefined && "tool" in known && known.hash === hash) return known;
    // It came as JSON.
    const fit = toInputSchema(tool.inputSchema as JsonObject);
    if ("problem" in fit) return fit.problem;
    const { target, timeoutMs } = this.#options;
    return {
      hash,
      tool: defineTool<Json>({
        name,
        description: toShownText(tool.description ?? tool.title ?? tool.name, MOST_DESCRIPTION_CHARS),
        input: toInput(fit.schema),
        inputSchema: fit.schema,
        effect: toEffect({ annotations: tool.annotations, reachesHosts: reachesHosts(target) }),
        timeoutMs,
        touches: () => (target.type === "http" ? { hosts: [target.url.hostname] } : {}),
        execute: (input, context) => this.#call({ name, tool: tool.name, hash, input: input as JsonObject, context }),
      }),
    };
  }

  async #call(call: Call): Promise<ToolOutput> {
    const { context, tool } = call;
    const { redact, timeoutMs } = this.#options;
    let result;
    try {
      const link = await this.#ready(context.signal);
      this.#requireApproved(call);
      const onProgress = createProgress(context);
      result = await link.call({ tool, input: call.input, timeoutMs, signal: context.signal, onProgress });
    } catch (thrown) {
      if (thrown instanceof RetinueError) throw thrown;
      throw new RetinueError("tool_failed", `${this.#describe(thrown)}${this.#link?.ended() === undefined ? "" : LOST}`, {
        cause: thrown,
      });
    }
    const content = toOutput(result, redact);
    if (result.isError !== true) return { content };
    const texts = content.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`));
    throw new RetinueError("tool_failed", cut(texts.join("\n")), { hint: "This is what the server says of it." });
  }

  #requireApproved({ name, tool, hash }: Call): void {
    const offered = this.#offered.get(tool);
    if (offered === undefined)
      throw new RetinueError("tool_failed", `The MCP server ${this.name} no longer offers "${name}".`, {
        hint: "Do without it.",
      });
    if ("withheld" in offered || offered.hash !== hash)
      throw new RetinueError("tool_withheld", `"${name}" was not called: its server has changed what it says of it.`);
  }

  #describe(thrown: unknown): string {
    const { redact, log } = this.#options;
    const why = toShownText(redact(thrown instanceof Error ? thrown.message : String(thrown)), MOST_ERROR_CHARS);
    const printed = this.#link?.ended() === undefined && this.#link !== undefined ? "" : log.lastPrinted();
    return `The MCP server ${this.name} failed: ${why}.${printed === "" ? "" : `\nIt last printed:\n${neutralise(printed)}`}`;
  }
}

const LOST = "\nWhether the call took effect is not known. The server is started again with the next call.";

type Call = {
  readonly name: string;
  readonly tool: string;
  readonly hash: string;
  readonly input: JsonObject;
  readonly context: ToolContext;
};

/** A server that we did not start may reach whatever its own machine reaches. */
const reachesHosts = (target: LinkTarget): boolean => target.type === "http" || target.reachesHosts;

/** Says what does not fit in the words of the schema that the model was shown. */
const toInput = (schema: JsonObject): z.ZodType<Json> =>
  z.custom<Json>().superRefine((value, context) => {
    for (const { path, message } of checkInput(schema, value)) context.addIssue({ code: "custom", path: [...path], message });
  });

const createProgress = ({ progress }: ToolContext): ((told: Progress) => void) => {
  let last = Number.NEGATIVE_INFINITY;
  return (told) => {
    const now = performance.now();
    if (now - last < PROGRESS_MS) return;
    last = now;
    const share = told.total === undefined ? String(told.progress) : `${told.progress}/${told.total}`;
    progress(toShownText(told.message === undefined ? share : `${share} ${told.message}`, 500));
  };
};

const cut = (text: string): string =>
  text.length > MOST_ERROR_CHARS ? `${text.slice(0, MOST_ERROR_CHARS).toWellFormed()}…` : text;
