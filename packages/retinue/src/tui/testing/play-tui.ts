/** The TUI on an emulated terminal in this process: a scripted model answers, keys are played, and the screen is read as a person would see it. */
import type { ScriptedTurn, Script } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import xterm from "@xterm/headless";
import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { createProject, type Project } from "../../cli/testing/spawn-retinue.ts";
import type { RetinueOptions } from "../../create-retinue.ts";
import { createRetinue } from "../../create-retinue.ts";
import { askInRecord } from "../../host/ask-in-record.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../settings/settings.ts";
import { createTestsHere } from "../../qa/test-here.ts";
import { readFolderCommands } from "../../folder-commands.ts";
import { toFileCommands } from "../command/file-commands.ts";
import { createAskHub } from "../question/ask-hub.ts";
import type { ApprovalRule } from "../../approval-rules/approval-rule.ts";
import type { Colours } from "../screen/row.ts";
import { createTui, type Tui } from "../tui.ts";

export type PlayOptions = {
  readonly script: Script;
  readonly columns?: number;
  readonly rows?: number;
  readonly settings?: Partial<Settings>;
  readonly colours?: Colours;
  readonly isModern?: boolean;
  readonly project?: Project;
  readonly agents?: RetinueOptions["agents"];
  readonly price?: number;
  /** Whether the model is known to see. */
  readonly readsImages?: boolean;
};

export type Played = {
  readonly tui: Tui;
  readonly project: Project;
  readonly type: (keys: string) => void;
  /** Keys as fingers would press them, one by one. */
  readonly press: (...keys: readonly string[]) => Promise<void>;
  /** What is seen now, without blanks at the ends of lines. */
  readonly screen: () => string;
  /** Everything, the scrollback included. */
  readonly all: () => string;
  readonly until: (isThere: string | ((screen: string) => boolean)) => Promise<void>;
  /** Time passes for the manners of questions, and the screen is drawn. No other time passes. */
  readonly advance: (ms: number) => Promise<void>;
  readonly resize: (columns: number, rows: number) => Promise<void>;
  /** Every byte that was sent to the terminal. */
  readonly bytes: () => string;
  readonly keptRules: () => readonly ApprovalRule[];
  readonly retinue: Awaited<ReturnType<typeof createRetinue>>;
  readonly close: (keep?: "keep") => Promise<void>;
};

export const ENTER = "\r";
export const ESC = "\u001b";

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

export const playTui = async (options: PlayOptions): Promise<Played> => {
  const { columns = 80, rows = 24 } = options;
  const project = options.project ?? (await createProject());
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const asks = createAskHub();
  const price = options.price ?? 0;
  const model = createScriptedModel(options.script, {
    usage: { input: 100, output: 10 },
    contextWindow: 100_000,
    price: () => price,
  });
  if (options.readsImages === true) Object.assign(model, { readsImages: true });
  const retinue = await createRetinue({
    workspace: project.workspace,
    env: { RETINUE_HOME: project.home },
    settings: { ...DEFAULT_SETTINGS, ...options.settings },
    model,
    ...(options.agents === undefined ? {} : { agents: options.agents }),
    approver: askInRecord,
  });
  const workspace = await realpath(project.workspace);
  // A clock that only `advance` moves: how busy the machine is decides nothing.
  const startedAt = Date.now();
  let offset = 0;
  let written = "";
  let rules: readonly ApprovalRule[] = [];
  const tui = createTui({
    terminal: {
      write: (bytes) => {
        written += bytes;
        terminal.write(bytes);
      },
      size: () => ({ columns: terminal.cols, rows: terminal.rows }),
      colours: options.colours ?? "256",
      notifyBy: "osc9",
      isModern: options.isModern ?? true,
    },
    retinue,
    workspace,
    project: basename(workspace),
    env: {},
    asks,
    flagged: {},
    maxConcurrent: 3,
    redact: (text) => text,
    secrets: () => [],
    history: [],
    commands: toFileCommands(
      await readFolderCommands({ folder: workspace, settings: DEFAULT_SETTINGS, env: { RETINUE_HOME: project.home } }),
    ),
    rules: [],
    keepRule: async (rule) => {
      rules = [...rules, rule];
    },
    keepHistory: () => undefined,
    files: async () => ["README.md", "src/cart.ts", "src/cart.test.ts"],
    runTests: createTestsHere({
      folder: workspace,
      home: project.home,
      env: { RETINUE_HOME: project.home },
      open: (more) =>
        createRetinue({
          workspace: project.workspace,
          env: { RETINUE_HOME: project.home },
          settings: { ...DEFAULT_SETTINGS, ...options.settings },
          model,
          ...more,
        }),
    }),
    readDiff: async ({ approval }, at) => (await import("@retinue/tools")).readPlannedDiff(approval.act, at),
    now: () => startedAt + offset,
  });

  const readLines = (from: number, to: number): string => {
    const lines: string[] = [];
    for (let index = from; index < to; index += 1) {
      const line = terminal.buffer.active.getLine(index);
      lines.push((line?.isWrapped === true ? "\u21b5" : "") + (line?.translateToString(true) ?? ""));
    }
    return lines.join("\n").replaceAll("\n\u21b5", "");
  };
  const screen = (): string => readLines(terminal.buffer.active.baseY, terminal.buffer.active.baseY + terminal.rows);
  const all = (): string => readLines(0, terminal.buffer.active.length);
  const settle = async (): Promise<void> => {
    await pause(45);
    await new Promise<void>((resolve) => terminal.write("", resolve));
  };

  return {
    tui,
    project,
    retinue,
    type: tui.input,
    press: async (...keys) => {
      for (const key of keys) {
        tui.input(key);
        await pause(key === ESC ? 60 : 15);
      }
      await settle();
    },
    screen,
    all,
    until: async (isThere) => {
      const check = typeof isThere === "string" ? (seen: string) => seen.includes(isThere) : isThere;
      // Long enough for a busy machine; nothing waits for it to pass.
      const end = Date.now() + 90_000;
      for (;;) {
        await settle();
        if (check(screen()) || (typeof isThere === "string" && check(all()))) return;
        if (Date.now() > end) throw new Error(`never seen: ${String(isThere)}\n${all()}`);
      }
    },
    advance: async (ms) => {
      offset += ms;
      tui.print([]);
      await settle();
    },
    resize: async (wide, high) => {
      terminal.resize(wide, high);
      tui.resized();
      await pause(120);
      await settle();
    },
    bytes: () => written,
    keptRules: () => rules,
    close: async (keep) => {
      tui.close();
      await retinue.close();
      terminal.dispose();
      if (keep === undefined) await project.remove();
    },
  };
};

/** Answers by who asks: the turns of each agent, one after the other. */
export const byAgent = (turns: Readonly<Record<string, readonly ScriptedTurn[]>>): Script => {
  const asked = new Map<string, number>();
  return ({ system }) => {
    const [agent = "main"] = Object.keys(turns).filter(
      (name) => name !== "main" && system.includes(`operating as a **${name}**`),
    );
    const turn = asked.get(agent) ?? 0;
    asked.set(agent, turn + 1);
    return turns[agent]?.[turn];
  };
};

export const call = (
  callId: string,
  tool: string,
  input: Record<string, unknown>,
): NonNullable<ScriptedTurn["toolCalls"]>[number] => ({ callId, tool, input }) as never;
