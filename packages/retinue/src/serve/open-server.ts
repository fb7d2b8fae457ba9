/** A server over a host of its own, with the folders it was started for. Stopping it leaves runs that have not settled open in the record, to be resumed. */
import type { InputSource } from "@retinue/protocol";
import type { Server, ServerOptions } from "@retinue/server";
import { closeAll } from "../host/close-all.ts";
import { openHost } from "../host/open-host.ts";
import type { HostOptions } from "../host/host.ts";
import { openRecord, type RetinueStore } from "../open-record.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { retinueHome } from "../settings/retinue-home.ts";
import { commandSource } from "../cli/reach/command-source.ts";
import { openSignedInStore } from "./signed-in-store.ts";
import type { Served } from "./served-workspaces.ts";
import type { KeeperPace } from "./session-keeper.ts";

export type OpenServerOptions = Omit<ServerOptions, "backend"> & {
  /** The first says where sessions are recorded. */
  readonly folders: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly store?: RetinueStore;
  readonly host?: string;
  readonly model?: HostOptions["model"];
  /** How soon the server looks after its sessions; for tests. */
  readonly pace?: Partial<KeeperPace>;
};

export type OpenServer = Server & { readonly workspaces: readonly Served[] };

export const openServer = async ({
  folders,
  env = process.env,
  model,
  pace,
  ...options
}: OpenServerOptions): Promise<OpenServer> => {
  const [first = process.cwd()] = folders;
  const store =
    options.store ?? (await openRecord({ ...(await loadSettings({ workspace: first, env })), env, workspace: first }));
  const source: InputSource = { ...commandSource(), via: "server" };
  const host = await openHost({ env, store, source, ...(model === undefined ? {} : { model }) });
  try {
    const { store: _, ...rest } = options;
    // Who only uses the library does not load them.
    const [{ createServer }, { createBackend }, { openGround }] = await Promise.all([
      import("@retinue/server"),
      import("./create-backend.ts"),
      import("./open-ground.ts"),
    ]);
    const { ground, close } = await openGround({ host, store, env, source, folders, onProblem: rest.onProblem, pace });
    const signedIn = rest.signedIn ?? (await openSignedInStore(retinueHome(env)));
    const server = await createServer({ ...rest, signedIn, backend: createBackend(ground) });
    let closing: Promise<void> | undefined;
    return {
      ...server,
      workspaces: ground.workspaces.list(),
      close: () => (closing ??= closeAll([server.close, close, host.close])),
    };
  } catch (thrown) {
    await host.close();
    throw thrown;
  }
};
