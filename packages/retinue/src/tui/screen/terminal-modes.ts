/** The modes of the terminal that the TUI needs, switched on together and off together: pastes in brackets, and whether the window has the focus. */
export const ENTER_MODES = "\u001b[?2004h\u001b[?1004h\u001b[>4;1m";
/** Also undoes a title that was set. */
export const LEAVE_MODES = "\u001b[>4;0m\u001b[?1004l\u001b[?2004l\u001b[?25h\u001b]0;\u0007";
