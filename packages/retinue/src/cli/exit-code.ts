/** What the command tells its caller by its exit code. */
import type { ErrorCode, RunResult } from "@retinue/protocol";
import { ERRORS, findDoubts } from "@retinue/protocol";

export const EXIT = {
  done: 0,
  failed: 1,
  /** The command line or the settings are wrong; nothing was done. */
  usage: 2,
  /** A limit ended the run before it was done. */
  limit: 3,
  /** The run is open in the record and waits for a person's answer. */
  waiting: 4,
  /** The agent says that it is done, and the record holds something against that: failing tests, or claims that it does not support. */
  doubted: 5,
  /** A person cancelled the run. */
  interrupted: 130,
  /** These three leave what runs open in the record, to be resumed. */
  hungUp: 129,
  /** Whoever read the output went away (the shell's word for SIGPIPE). */
  unread: 141,
  terminated: 143,
} as const;

export const errorExitCode = (code: ErrorCode): number => (ERRORS[code].kind === "caller" ? EXIT.usage : EXIT.failed);

/** What was denied because nobody could be asked is not done, whatever the agent says in the end. */
export const withDenials = (exitCode: number, denials: readonly unknown[]): number =>
  exitCode === EXIT.done && denials.length > 0 ? EXIT.limit : exitCode;

/** Of a run that nobody interrupted. */
export const resultExitCode = (result: RunResult): number => {
  switch (result.status) {
    case "completed":
      return findDoubts(result).length === 0 ? EXIT.done : EXIT.doubted;
    case "timeout":
      return EXIT.limit;
    case "cancelled":
      return EXIT.interrupted;
    case "partial":
    case "failed":
      if (result.error?.code === "limit_reached" || (result.status === "partial" && !result.error)) return EXIT.limit;
      return result.error ? errorExitCode(result.error.code) : EXIT.failed;
    default:
      return result.status satisfies never;
  }
};
