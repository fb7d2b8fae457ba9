/** What is wrong with a file that defines agents, or is not honoured in it, and at which line it says so. */
export const SEVERITIES = ["error", "warning", "notice"] as const;

/** `error`: it is not used. `warning`: it is used, but likely not as meant. `notice`: it is read and not honoured as it stands. */
export type Severity = (typeof SEVERITIES)[number];

export type Problem = {
  readonly file: string;
  readonly line: number;
  readonly severity: Severity;
  readonly message: string;
};

/** Notes a problem of the file that is being read. */
export type Note = (severity: Severity, line: number, message: string) => void;

export const createNotes = (file: string): { readonly note: Note; readonly problems: readonly Problem[] } => {
  const problems: Problem[] = [];
  return { problems, note: (severity, line, message) => void problems.push({ file, line, severity, message }) };
};
