/** The real command on a real terminal, with an emulator that shows what a person would see. */
import pty from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { BIN, toEnvironment, type Project } from "../../cli/testing/spawn-retinue.ts";

export type InPty = {
  readonly pid: number;
  readonly type: (keys: string) => void;
  readonly screen: () => string;
  readonly all: () => string;
  /** Every byte that the command sent. */
  readonly bytes: () => string;
  readonly until: (text: string) => Promise<void>;
  readonly resize: (columns: number, rows: number) => void;
  readonly ended: Promise<number>;
  readonly kill: (signal: string) => void;
  readonly terminal: xterm.Terminal;
};

export type PtyOptions = {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Words of a program that the command is started through, such as those of a terminal multiplexer. */
  readonly through?: readonly string[];
};

export const startInPty = (project: Project, words: readonly string[], options: PtyOptions = {}): InPty => {
  const { columns = 80, rows = 24, env = {}, through = [] } = options;
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const [program = process.execPath, ...args] = [...through, process.execPath, BIN, ...words];
  const child = pty.spawn(program, args, {
    name: "xterm-256color",
    cols: columns,
    rows,
    cwd: project.workspace,
    env: { ...toEnvironment(project.home), TERM: "xterm-256color", ...env },
  });
  let sent = "";
  let isOver = false;
  child.onData((bytes) => {
    sent += bytes;
    terminal.write(bytes);
  });
  const ended = new Promise<number>((resolve) =>
    child.onExit(({ exitCode }) => {
      isOver = true;
      resolve(exitCode);
    }),
  );
  const read = (from: number): string => {
    const { active } = terminal.buffer;
    return Array.from(
      { length: active.length - from },
      (_, index) => active.getLine(from + index)?.translateToString(true) ?? "",
    ).join("\n");
  };
  const screen = (): string => read(terminal.buffer.active.baseY);
  return {
    pid: child.pid,
    terminal,
    type: (keys) => child.write(keys),
    screen,
    all: () => read(0),
    bytes: () => sent,
    ended,
    kill: (signal) => child.kill(signal),
    resize: (wide, high) => {
      child.resize(wide, high);
      terminal.resize(wide, high);
    },
    until: async (text) => {
      const end = Date.now() + 50_000;
      while (!read(0).includes(text)) {
        if (Date.now() > end || isOver) throw new Error(`never seen: ${text}\n${read(0)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
};
