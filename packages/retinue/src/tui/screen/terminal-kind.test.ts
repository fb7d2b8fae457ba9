/** Terminals of Windows, and others, by what they say of themselves. */
import { expect, test } from "vitest";
import { spinnerSign } from "../../cli/live/spinner-sign.ts";
import { createLiveScreen } from "./live-screen.ts";
import { span } from "./row.ts";
import { adviceWithoutConsole, terminalKindOf } from "./terminal-kind.ts";
import { enterModes, leaveModes } from "./terminal-modes.ts";

test.each<[string, NodeJS.ProcessEnv, NodeJS.Platform, Partial<ReturnType<typeof terminalKindOf>>]>([
  ["Windows Terminal", { WT_SESSION: "0f1c" }, "win32", { colours: "256", isModern: true, notifyBy: "bell" }],
  ["the old console of Windows", {}, "win32", { colours: "16", isModern: false, notifyBy: "bell" }],
  ["the old console, without colours", { NO_COLOR: "1" }, "win32", { colours: "none", isModern: false }],
  ["ConEmu", { ConEmuANSI: "ON" }, "win32", { colours: "16", isModern: true }],
  [
    "the terminal of VS Code on Windows",
    { TERM_PROGRAM: "vscode", COLORTERM: "truecolor" },
    "win32",
    { colours: "256", isModern: true },
  ],
  ["mintty with a console", { TERM: "xterm-256color", TERM_PROGRAM: "mintty" }, "win32", { colours: "256", isModern: true }],
  [
    "ssh from anywhere",
    { TERM: "xterm-256color", SSH_TTY: "/dev/pts/0" },
    "linux",
    { colours: "256", isModern: true, notifyBy: "bell" },
  ],
  ["a terminal of Linux that sets nothing", {}, "linux", { colours: "16", isModern: true }],
  ["tmux", { TERM: "screen-256color", TMUX: "/tmp/tmux-0" }, "linux", { notifyBy: "bell", isModern: true }],
  ["iTerm", { TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, "darwin", { notifyBy: "osc9" }],
])("%s", (_name, env, platform, kind) => expect(terminalKindOf(env, platform)).toMatchObject(kind));

test("the old console is sent no modes, no marks of frames, and signs that its fonts have", () => {
  const kind = terminalKindOf({}, "win32");
  let sent = enterModes(kind);
  const screen = createLiveScreen({ ...kind, write: (bytes) => void (sent += bytes), size: () => ({ columns: 80, rows: 24 }) });
  screen.draw({ finished: [[span("done", "completed")]], live: [[span("works", "running")]], cursor: { row: 0, column: 2 } });
  screen.clear();
  sent += leaveModes(kind);
  expect(sent).not.toMatch(/\[\?2026|\[\?2004|\[\?1004|\[>4/);
  expect(sent).toContain("works");
  // The cursor is given back.
  expect(sent.lastIndexOf("\u001b[?25h")).toBeGreaterThan(sent.lastIndexOf("\u001b[?25l"));
  expect(Array.from({ length: 8 }, (_, index) => spinnerSign(index * 100, {}, "win32")).join("")).toMatch(/^[|/\\-]+$/);
});

test("a terminal of Cygwin that gives no console is told of, and no other", () => {
  const mintty = { TERM_PROGRAM: "mintty", TERM: "xterm" };
  expect(adviceWithoutConsole(mintty, { isTerminal: false, platform: "win32" })).toContain("winpty retinue");
  expect(adviceWithoutConsole({ MSYSTEM: "MINGW64" }, { isTerminal: false, platform: "win32" })).toContain("winpty retinue");
  expect(adviceWithoutConsole(mintty, { isTerminal: true, platform: "win32" })).toBeUndefined();
  expect(adviceWithoutConsole({}, { isTerminal: false, platform: "win32" })).toBeUndefined();
  expect(adviceWithoutConsole(mintty, { isTerminal: false, platform: "linux" })).toBeUndefined();
});
