/** The real server as a process of its own, over a small project and a model that is played; and further commands in the same folder. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { startMockServer } from "@retinue/model/testing";
import { createPlayedModel, type Part, type PlayedModel } from "./played-model.ts";

const BIN = fileURLToPath(new URL("../../../retinue/bin/retinue.mjs", import.meta.url));
const COMPILED = fileURLToPath(new URL("../../../../node_modules/.cache/retinue-tests", import.meta.url));

/** One whose price is known, so that costs are shown. */
const MODEL = "anthropic/claude-sonnet-4-5";

export type PageStage = {
  readonly workspace: string;
  readonly home: string;
  /** The address that the server printed, with its key. */
  readonly link: string;
  readonly url: string;
  readonly model: PlayedModel;
  /** `retinue` with these words, in the same folder and record. */
  readonly command: (...words: readonly string[]) => ChildProcessWithoutNullStreams;
  readonly close: () => Promise<void>;
};

export type PageStageOptions = {
  /** Without it no model is configured, and the built-in rules answer. */
  readonly parts?: readonly Part[];
  /** By their paths. */
  readonly files?: Readonly<Record<string, string>>;
  /** The user's own agents, by name. */
  readonly agents?: Readonly<Record<string, string>>;
  readonly settings?: string;
  /** In addition to what every stage has. */
  readonly env?: Readonly<Record<string, string>>;
};

const writeAll = async (folder: string, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
};

const firstLine = (child: ChildProcessWithoutNullStreams): Promise<string> =>
  new Promise((resolve, reject) => {
    let [text, complaints] = ["", ""];
    child.stderr.setEncoding("utf8").on("data", (more: string) => {
      complaints += more;
    });
    child.stdout.setEncoding("utf8").on("data", (more: string) => {
      text += more;
      if (text.includes("\n")) resolve(text.split("\n")[0] ?? "");
    });
    child.on("error", reject);
    child.on("close", () => reject(new Error(`the server ended: ${complaints}`)));
  });

export const openPageStage = async ({
  parts = [],
  files = {},
  agents = {},
  settings = "",
  env: more = {},
}: PageStageOptions): Promise<PageStage> => {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-page-")));
  const [workspace, home] = [path.join(root, "shop"), path.join(root, "home")];
  await mkdir(workspace);
  await mkdir(home);
  await writeAll(workspace, files);
  await writeAll(
    path.join(home, "agents"),
    Object.fromEntries(Object.entries(agents).map(([name, text]) => [`${name}.md`, text])),
  );
  const model = createPlayedModel(parts);
  const mock = parts.length === 0 ? undefined : await startMockServer({ reply: model.reply });
  const configured =
    mock === undefined
      ? ""
      : `model: ${MODEL}\nproviders: { anthropic: { baseUrl: "${mock.baseUrl}" } }\nretry: { attempts: 1, unreachableMs: 0 }\n`;
  await writeFile(path.join(home, "retinue.yaml"), configured + settings);

  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    RETINUE_HOME: home,
    RETINUE_TEST: "1",
    NODE_COMPILE_CACHE: COMPILED,
    ...(mock === undefined ? {} : { ANTHROPIC_API_KEY: "of the stage" }),
    ...more,
  };
  const children = new Set<ChildProcessWithoutNullStreams>();
  const command = (...words: readonly string[]): ChildProcessWithoutNullStreams => {
    const child = spawn(process.execPath, [BIN, ...words], { cwd: workspace, env });
    children.add(child);
    child.on("close", () => children.delete(child));
    return child;
  };
  const server = command("serve", "--port", "0", "--json");
  // The server says so as one JSON object.
  const { url, link } = JSON.parse(await firstLine(server)) as { readonly url: string; readonly link: string };
  return {
    workspace,
    home,
    link,
    url,
    model,
    command,
    close: async () => {
      const ended = [...children].map((child) => new Promise((resolve) => child.once("close", resolve)));
      for (const child of children) child.kill("SIGTERM");
      await Promise.all(ended);
      await mock?.close();
      await rm(root, { recursive: true, force: true });
    },
  };
};
