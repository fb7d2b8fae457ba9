/** A server over a folder and a home of its own, with a model by script: everything real but the model. */
import { createClient, type Client } from "@retinue/client";
import type { Script } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import { createMemoryLog } from "@retinue/store";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { CACHE } from "../../cli/testing/spawn-retinue.ts";
import type { RetinueStore } from "../../open-record.ts";
import type { OpenServer, OpenServerOptions } from "../open-server.ts";
import { openServer } from "../open-server.ts";

export type ServedProject = {
  readonly server: OpenServer;
  readonly store: RetinueStore;
  /** With the token. */
  readonly client: Client;
  readonly folder: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly workspaceId: `wsp_${string}`;
  readonly close: () => Promise<void>;
};

export type ServeProjectOptions = Partial<Omit<OpenServerOptions, "folders" | "model">> & {
  readonly script?: Script;
  /** By path, relative to the folder. */
  readonly files?: Readonly<Record<string, string>>;
};

export const serveProject = async ({ script = [], files = {}, ...options }: ServeProjectOptions = {}): Promise<ServedProject> => {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-serve-")));
  const [folder, home] = [path.join(base, "project"), path.join(base, "home")];
  for (const one of [folder, home]) await mkdir(one);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  // The browser that npm brings is unpacked once for all of them.
  const env = { PATH: process.env["PATH"], HOME: home, RETINUE_HOME: home, XDG_CACHE_HOME: CACHE };
  const store = options.store ?? createMemoryLog();
  const server = await openServer({ ...options, folders: [folder], env, store, model: createScriptedModel(script) });
  const [served] = server.workspaces;
  return {
    server,
    store,
    client: createClient({ url: server.url, token: server.token }),
    folder,
    home,
    env,
    // One folder was opened.
    workspaceId: served?.workspaceId ?? "wsp_",
    close: async () => {
      await server.close();
      await rm(base, { recursive: true, force: true });
    },
  };
};
