/** `retinue doctor`: what is in force, where it comes from, and what can be reached. */
import type { Origin } from "../settings/layer.ts";
import { toJsonLine } from "../terminal/json-line.ts";
import { toPrintable } from "../terminal/printable.ts";
import type { DoctorReport, ProviderReport } from "./doctor-report.ts";
import { createDoctorReport } from "./doctor-report.ts";
import { count, duration, money } from "./amounts.ts";
import type { LiveReport } from "./doctor-live.ts";
import { EXIT, errorExitCode } from "./exit-code.ts";
import { formatErrorValue } from "./format-error.ts";
import { withSpinner } from "./live/spinner.ts";
import type { SessionOptions } from "./session-options.ts";
import { toWorkspace } from "./session-options.ts";
import type { Surroundings } from "./surroundings.ts";

export type DoctorOptions = Pick<SessionOptions, "workspace"> & {
  readonly json?: boolean;
  readonly live?: boolean;
  readonly prompt?: boolean;
};

const showOrigin = (origin: Origin): string => {
  switch (origin.type) {
    case "default":
      return "default";
    case "user":
    case "project":
      return `${origin.type}: ${origin.file}:${origin.line}`;
    case "env":
      return `variable: ${origin.name}`;
    case "flag":
      return `flag: ${origin.name}`;
    default:
      return origin satisfies never;
  }
};

const showProvider = ({ found, keyEnvs, baseUrl }: ProviderReport): string => {
  switch (found?.type) {
    case "key":
      return `the key is in ${found.keyEnv}${found.defaultModel === undefined ? "" : `; would serve ${found.defaultModel}`}`;
    case "server": {
      const names = found.models.slice(0, 5).map((model) => model.name);
      const more = found.models.length > names.length ? ` and ${found.models.length - names.length} more` : "";
      return `answers at ${found.baseUrl} with ${names.length === 0 ? "no model" : names.join(", ")}${more}`;
    }
    case "locked":
      return `answers at ${found.baseUrl} and wants a key`;
    case undefined:
      return baseUrl === undefined ? `no key: ${keyEnvs[0] ?? "its variable"} is not set` : `no answer at ${baseUrl}`;
    default:
      return found satisfies never;
  }
};

const toRows = (rows: readonly (readonly string[])[]): readonly string[] => {
  const width = (column: number): number => Math.max(0, ...rows.map((row) => (row[column] ?? "").length));
  const widths = [width(0), width(1)];
  return rows.map(
    (row) => `  ${row.map((cell, column) => cell.padEnd(column < row.length - 1 ? (widths[column] ?? 0) : 0)).join("  ")}`,
  );
};

/** Files that cannot be used are named by what is wrong with them, at the end. */
const without = ({ settingsError }: DoctorReport): string => (settingsError ? "not used; see the end" : "none");

export const formatReport = (report: DoctorReport): readonly string[] => [
  `Retinue ${report.version}`,
  `Node ${report.node.version} at ${report.node.path}`,
  `Workspace ${report.workspace}`,
  `Your folder ${report.home}`,
  `Your settings ${report.files.user ?? without(report)}`,
  `Project settings ${report.files.project ?? without(report)}`,
  "",
  "Settings",
  ...(report.settingsError
    ? ["  cannot be used; what follows is as if there were none"]
    : toRows(report.settings.map(({ key, value, origin }) => [key, String(value), showOrigin(origin)]))),
  ...report.warnings.map((warning) => `  warning: ${warning}`),
  "",
  "Providers",
  ...toRows(report.providers.map((provider) => [provider.name, showProvider(provider)])),
  "",
  `Model ${report.model.name} (${report.model.isDetected ? "detected" : "set"})`,
  ...(report.model.name.startsWith("offline/")
    ? ["  built-in rules, not an LLM: no key was found and no local server answers"]
    : []),
  // In two lines, so that they fit.
  ...(report.model.about === "" ? [] : report.model.about.split(/, (?=(?:no )?thinking)/).map((words) => `  ${words}`)),
  ...(report.live ?? []).flatMap(showLive),
  "path" in report.ripgrep
    ? `ripgrep ${report.ripgrep.version} at ${report.ripgrep.path}`
    : `ripgrep is missing: ${report.ripgrep.error}`,
  showSandbox(report.sandbox),
  showBrowser(report.browser),
  showRecord(report.record),
  ...report.gitLocks.map(showLock),
  ...showInventory(report.inventory),
  ...showInstructions(report.instructions),
];

const showLock = ({ file, ageMs }: DoctorReport["gitLocks"][number]): string =>
  `Git lock ${file}, ${duration(ageMs)} old: git fails while it is there. If no git is at work in the repository, delete it.`;

const showLive = (live: LiveReport): readonly string[] => {
  if (!live.ok) return [`  ${live.model} did not answer, after ${live.totalMs} ms; see the end`];
  const cost = live.costUsd === null ? "" : `, for ${money(live.costUsd)}`;
  const { tools, images, thinking } = live.abilities;
  return [
    `  ${live.model} answered: first words after ${live.firstMs} ms, all after ${live.totalMs} ms${cost}`,
    `    tools: ${tools}  images: ${images}  thinking: ${thinking}`,
  ];
};

const showRecord = (record: DoctorReport["record"]): string =>
  "error" in record
    ? "Sessions cannot be kept; see the end"
    : `Sessions are kept in ${record.place} (${record.kind === "sqlite" ? "SQLite" : "PostgreSQL"})`;

const showCap = (cap: Extract<DoctorReport["sandbox"], { backend: "bwrap" }>["processCap"]): string => {
  switch (cap.type) {
    case "rlimit":
      return "kept by the kernel (rlimit)";
    case "cgroup":
      return "kept by the kernel (cgroup)";
    case "pid-namespace":
      return "kept by the kernel (process ids of a namespace)";
    case "watched":
      return `only watched: ${cap.reason}`;
    default:
      return cap satisfies never;
  }
};

const showSandbox = (sandbox: DoctorReport["sandbox"]): string => {
  switch (sandbox.backend) {
    case "bwrap":
      return `Sandbox bwrap ${sandbox.version} at ${sandbox.program}; number of processes ${showCap(sandbox.processCap)}`;
    case "none":
      return sandbox.isInstalled
        ? `Sandbox does not work: ${sandbox.reason}; no command runs, unless you allow it or have waived the sandbox`
        : `Sandbox none: ${sandbox.reason}; shell commands run with your own rights, after approval`;
    default:
      return sandbox satisfies never;
  }
};

const BROWSER_FROM = {
  settings: "named by the settings",
  system: "of this system",
  npm: "brought by npm",
  playwright: "of Playwright",
};

const showBrowser = (browser: DoctorReport["browser"]): string =>
  "error" in browser
    ? `Browser none: ${browser.error}`
    : `Browser ${browser.version} at ${browser.path}, ${BROWSER_FROM[browser.from]}${browser.isSandboxed ? "" : "; it runs without its own sandbox"}`;

const showInventory = (inventory: DoctorReport["inventory"]): readonly string[] =>
  "error" in inventory
    ? [`Agents and tools cannot be told: ${inventory.error}`]
    : [
        `Agents ${inventory.agents}`,
        `Tools ${inventory.tools}`,
        ...inventory.problems.map((problem) => `  left out: ${problem}`),
        ...inventory.permissions.map(
          ({ file, origin, held, allowed, hooks }) =>
            `Permissions of ${file} (${origin}): ${held} that deny or ask, ${allowed} that spare questions` +
            (hooks === 0 ? "" : `; ${count(hooks, "hook")}`),
        ),
        ...(inventory.untrusted.length === 0 ? [] : ["Not trusted, so that it is not used; retinue trust lets it"]),
        ...inventory.untrusted.map(({ subject, shown }) => `  ${subject}: ${shown}`),
      ];

const showInstructions = ({ files, problems }: DoctorReport["instructions"]): readonly string[] => [
  `Instructions ${files.length === 0 ? "none" : files.length}`,
  ...files.map(({ file, origin, tokens }) => `  ${file} (${origin}, about ${tokens} tokens)`),
  ...problems.map((problem) => `  warning: ${problem}`),
];

export const doctorCommand = async (options: DoctorOptions, surroundings: Surroundings): Promise<number> => {
  const { stdout, stderr, redact } = surroundings;
  const workspace = toWorkspace(options);
  const isLive = options.live === true;
  const what = isLive ? "trying models, sandbox, browser and record" : "looking at models, sandbox, browser and record";
  const report = await withSpinner(what, { ...surroundings, isSilent: options.json === true }, () =>
    createDoctorReport({ workspace, isLive }, surroundings),
  );
  if (options.json === true) await stdout.write(`${toJsonLine(report, redact)}\n`);
  else for (const line of formatReport(report)) await stdout.write(`${toPrintable(redact(line), "line")}\n`);
  const unanswered = (report.live ?? []).flatMap((live) => (live.ok ? [] : [live]));
  const errors = [
    report.settingsError,
    // The same is told by the request that was tried.
    unanswered.some(({ model }) => model === report.model.name) ? null : report.model.error,
    "error" in report.record ? report.record.error : null,
    ...unanswered.map(({ model, error }) => ({ ...error, message: `${model}: ${error.message}` })),
  ].filter((error) => error !== null);
  for (const error of errors) await stderr.write(formatErrorValue(error, redact));
  if (errors.length === 0) return EXIT.done;
  // Settings can be mended here; a server that does not answer cannot.
  const isOnlyUnanswered = errors.every(({ code }) => errorExitCode(code) === EXIT.failed);
  return isOnlyUnanswered ? EXIT.failed : EXIT.usage;
};
