/** `retinue test record`: opens a window, and writes what a person does in it as a test case. It ends when the window is closed, or with Ctrl-C. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { parseCase, toCaseYaml } from "@retinue/qa";
import type { BrowserSession } from "@retinue/tools";
import { toBrowserOptions } from "../../assemble-tools.ts";
import { workspaceSecrets } from "../../secrets/workspace-secrets.ts";
import { retinueHome } from "../../settings/retinue-home.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { EXIT } from "../exit-code.ts";
import { loadSessionSettings } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import type { TestOptions } from "./test-options.ts";

export type RecordCommandOptions = TestOptions & {
  readonly title?: string;
  readonly force?: boolean;
  /** Who acts in place of a person, in a browser without a window. */
  readonly actor?: (session: BrowserSession, looked: () => Promise<unknown>) => Promise<void>;
};

export const testRecordCommand = async (
  address: string,
  { actor, ...options }: RecordCommandOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stderr, env, redact } = surroundings;
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new RetinueError("usage", `${address} is no address that begins with http:// or https://.`);
  const { settings, workspace } = await loadSessionSettings(options, surroundings);
  const out = path.resolve(workspace, options.out ?? "tests/recorded.yaml");
  const { createBrowserProcess, openBrowserSession, recordPerson } = await import("@retinue/tools/browser");
  const { executable, cacheFolder, ...rules } = toBrowserOptions(settings, retinueHome(env), env);
  if (actor === undefined) requireScreen(env);
  const program = createBrowserProcess({ executable, cacheFolder, headless: actor !== undefined, env });
  const secrets = await workspaceSecrets(workspace);
  const stopped = new AbortController();
  const stop = (): void => stopped.abort();
  process.once("SIGINT", stop);
  try {
    const session = await openBrowserSession({
      process: program,
      rules: { allowHosts: rules.allowHosts ?? [], denyHosts: rules.denyHosts ?? [] },
      secrets: () => secrets,
      session: { baseUrl: url.origin, allowHosts: [url.host] },
      hosts: [],
    });
    await stderr.write("retinue: recording; close the window when you are done.\n");
    const opened = Promise.withResolvers<() => Promise<unknown>>();
    const recording = recordPerson(session, {
      url: url.href,
      onOpen: opened.resolve,
      secrets,
      signal: stopped.signal,
      onAct: ({ kind, role, name, value }) => {
        // What is typed may be the beginning of a secret.
        const words = [kind, role, name, kind === "type" ? "" : value].filter((one) => one !== "");
        void stderr.write(`${toPrintable(redact(`  ${words.join(" ")}`), "line")}\n`);
      },
    });
    const acting = actor === undefined ? undefined : opened.promise.then((looked) => actor(session, looked));
    const [moments] = await Promise.all([recording, acting?.finally(stop)]);
    await session.close().catch(() => undefined);
    if (moments.length === 0) throw new RetinueError("usage", "Nothing was done, so that there is nothing to write.");
    // What the user keeps as secrets elsewhere is not written either.
    const text = redact(toCaseYaml(moments, { title: options.title ?? `Recorded at ${url.host}`, baseUrl: url.origin }));
    const parsed = parseCase({ text, file: path.relative(workspace, out), suite: {}, suiteFile: null, given: {} });
    for (const { line, message } of parsed.problems)
      await stderr.write(`retinue: line ${line} needs you: ${toPrintable(message, "line")}\n`);
    await writeCase(out, text, options.force === true);
    const file = toPrintable(path.relative(workspace, out), "line");
    const missing = (parsed.cases[0]?.testCase.secrets ?? []).filter((name) => !secrets.has(name));
    if (missing.length > 0)
      await stderr.write(`retinue: put ${missing.join(", ")} into .env; what was typed there is not written.\n`);
    await stderr.write(`retinue: wrote ${file}; retinue test ${file} runs it.\n`);
    return EXIT.done;
  } finally {
    process.removeListener("SIGINT", stop);
    await program.close();
  }
};

/** Elsewhere than under X and Wayland a window needs no word. */
const requireScreen = ({ DISPLAY, WAYLAND_DISPLAY }: NodeJS.ProcessEnv): void => {
  if (process.platform !== "linux" || DISPLAY !== undefined || WAYLAND_DISPLAY !== undefined) return;
  throw new RetinueError("usage", "There is no screen to show a window on: DISPLAY is not set.", {
    hint: "Run it in a terminal of your desktop, or over ssh -X.",
  });
};

const writeCase = async (file: string, text: string, isForced: boolean): Promise<void> => {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text, { flag: isForced ? "w" : "wx" });
  } catch (cause) {
    const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    throw new RetinueError("usage", isThere ? `${file} is there already.` : `${file} cannot be written.`, {
      ...(isThere ? { hint: "Name another by --out, or write over it with --force." } : {}),
      cause,
    });
  }
};
