/** The modes of the terminal that the TUI needs, switched on together and off together: pastes in brackets, and whether the window has the focus. */
import type { TerminalKind } from "./terminal-kind.ts";

const ENTER_MODES = "\u001b[?2004h\u001b[?1004h\u001b[>4;1m";
/** Also undoes a title that was set. */
const LEAVE = "\u001b[?25h\u001b]0;\u0007";
const LEAVE_MODES = "\u001b[>4;0m\u001b[?1004l\u001b[?2004l";

type Kind = Pick<TerminalKind, "isModern">;

export const enterModes = ({ isModern }: Kind): string => (isModern ? ENTER_MODES : "");
export const leaveModes = ({ isModern }: Kind): string => `${isModern ? LEAVE_MODES : ""}${LEAVE}`;
