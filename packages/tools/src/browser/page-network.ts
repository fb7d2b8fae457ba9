/**
 * The network of one browser session: a proxy on the loopback interface through which every request of its pages goes, whoever made it (a frame, a script,
 * a worker, a socket, a download). Each is judged by the hosts of the run that acts and by the rules for private addresses. So the wall is outside of the page.
 */
import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import type { GuardOptions } from "@retinue/confine";
import { connectByAddress, createFilteringProxy, createTargetJudge, PROXY_USER } from "@retinue/confine";
import { RetinueError } from "@retinue/protocol";
import type { ToolScope } from "@retinue/runtime";

export type PageNetwork = {
  /** The proxy, and what it wants to be shown: other programs of this machine reach its port, too. */
  readonly proxy: { readonly server: string; readonly username: string; readonly password: string };
  /** Judges an address before it is gone to, as the proxy will. Throws why not. */
  readonly judge: (url: URL) => Promise<void>;
  readonly close: () => Promise<void>;
};

export type PageNetworkOptions = Omit<GuardOptions, "allowHosts"> & {
  readonly allowHosts: () => readonly string[];
  /** Of the run that acts now; nothing is reached before one does. */
  readonly hosts: () => ToolScope["hosts"] | undefined;
  readonly onRefused: (why: string) => void;
};

export const openPageNetwork = async ({ allowHosts, hosts, onRefused, ...rules }: PageNetworkOptions): Promise<PageNetwork> => {
  const server = createServer((socket) => proxy.accept(socket));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  // It listens on a port, so that this is one.
  const own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const password = randomBytes(32).toString("hex");
  const judge = async (url: URL): Promise<readonly string[]> => {
    const granted = hosts();
    if (!granted) throw new RetinueError("act_denied", "No agent has opened a page in this browser yet.");
    return createTargetJudge({
      ...rules,
      allowHosts: allowHosts(),
      denyHosts: [...(rules.denyHosts ?? []), own],
      hosts: granted,
      reachesOwn: true,
    })(url);
  };
  const proxy = createFilteringProxy({ judge, connect: connectByAddress, onRefused, who: "browser", password });
  return {
    proxy: { server: `http://${own}`, username: PROXY_USER, password },
    judge: async (url) => void (await judge(url)),
    close: () =>
      new Promise((resolve) => {
        proxy.close();
        server.close(() => resolve());
      }),
  };
};
