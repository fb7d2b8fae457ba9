/** The shop of the examples as a process of its own, as a user has it; for tests of the browser. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

export type Shop = { readonly url: string; readonly close: () => Promise<void> };

/** Who may log in. */
export const SHOP_LOGIN = { email: "ada@example.com", password: "correct-horse" };

const SERVE = path.resolve(import.meta.dirname, "../../../../examples/shop-app/serve.ts");

export const startShop = async (): Promise<Shop> => {
  const child = spawn(process.execPath, [SERVE], { stdio: ["ignore", "pipe", "inherit"], env: { PATH: process.env["PATH"] } });
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
      const found = /at (http:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`the shop ended with ${code}`)));
  });
  return {
    url,
    close: async () => {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
};
