/** Runs the real command at a real terminal of a given size, and types at it. What is typed at once may be there before anybody reads it. */
import type { Project, Running } from "./spawn-retinue.ts";

export type Typing = Running & {
  readonly type: (keys: string) => void;
  /** What stands on the terminal so far; both outputs end there. */
  readonly until: (text: string) => Promise<void>;
};

/** `script` gives its program a terminal, and passes on what it reads. */
const BY = ["/bin/bash", "-c", 'exec script -qfec "stty rows 24 cols 80; exec $(printf "%q " "$@")" /dev/null', "bash"] as const;

export const startInTerminal = (
  project: Project,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Typing => {
  const running = project.start(words, { keepInput: true, by: BY, env: { TERM: "xterm", SHELL: "/bin/bash", ...env } });
  return {
    ...running,
    type: (keys) => void running.child.stdin.write(keys),
    until: (text) => running.said("stdout", text),
  };
};
