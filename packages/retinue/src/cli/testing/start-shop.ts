/** The shop of the examples, as a process of its own on a free port. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export type Shop = { readonly url: string; readonly close: () => Promise<void> };

const SERVE = fileURLToPath(new URL("../../../../../examples/shop-app/serve.ts", import.meta.url));

export const startShop = async (): Promise<Shop> => {
  const child = spawn(process.execPath, [SERVE, "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    const [url] = /http:\/\/\S+/.exec(line) ?? [];
    if (url === undefined) continue;
    return {
      url,
      close: async () => {
        child.kill();
        await exited;
      },
    };
  }
  throw new Error("The shop ended before it told its address.");
};
