/** One process serves two folders at once: they share models and the record, and see nothing of each other. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createScriptedModel } from "retinue/testing";
import { openHost } from "retinue";

const base = await mkdtemp(path.join(tmpdir(), "two-workspaces-"));
const folderWith = async (name: string, prices: string): Promise<string> => {
  const folder = await mkdtemp(path.join(base, `${name}-`));
  await writeFile(path.join(folder, "prices.txt"), prices);
  return folder;
};
const [shop, market] = [await folderWith("shop", "apples 3\n"), await folderWith("market", "apples 5\n")];

/** Reads the file of whichever folder it works in, and says what stands there. */
const model = createScriptedModel(({ messages }, answered) => {
  if (answered === 0) return { toolCalls: [{ tool: "read", input: { path: "prices.txt" } }] };
  const [output] = messages.at(-1)?.content ?? [];
  return { text: output?.type === "text" ? (/apples \d/.exec(output.text)?.[0] ?? "nothing") : "nothing" };
});

const host = await openHost({ model, env: { RETINUE_HOME: path.join(base, "home") } });
const inShop = await host.openWorkspace(shop, { instructions: "You serve the shop." });
const inMarket = await host.openWorkspace(market, { instructions: "You serve the market." });
const runs = await Promise.all([inShop.run("What do apples cost?"), inMarket.run("What do apples cost?")]);
const [first, second] = await Promise.all(runs.map(({ result }) => result));
console.log(`shop: ${first?.summary}; market: ${second?.summary}`);

assert.equal(first?.summary, "apples 3");
assert.equal(second?.summary, "apples 5");
const { items } = await host.sessions.listSessions();
assert.deepEqual(new Set(items.map(({ workspace }) => workspace)), new Set([inShop.folder, inMarket.folder]));
// A session belongs to its folder.
const [ofShop] = runs;
await assert.rejects(inMarket.resume(ofShop.sessionId), { code: "session_elsewhere" });
await host.close();
await rm(base, { recursive: true });
