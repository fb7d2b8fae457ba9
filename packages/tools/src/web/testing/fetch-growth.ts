/**
 * A process that fetches one address and tells by how much its memory grew at the most: `node fetch-growth.ts <url> [max bytes]`. With
 * a higher cap it shows that the measure sees what is unpacked.
 */
import { readFileSync } from "node:fs";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import { createWebFetch } from "../web-fetch.ts";

const [, , url = "", maxBytes] = process.argv;
const tool = createWebFetch({ allowHosts: ["127.0.0.1"], ...(maxBytes === undefined ? {} : { maxBytes: Number(maxBytes) }) });
await using test = await createTestWorkspace();

const fetchOnce = async (address: string): Promise<string> => {
  try {
    return toText(await tool.execute(tool.input.parse({ url: address, format: "raw", maxChars: 100 }), test.context));
  } catch (thrown) {
    return String(thrown);
  }
};

let sampled = 0;
setInterval(() => (sampled = Math.max(sampled, process.memoryUsage.rss())), 2).unref();

/** Linux keeps the peak of this very program; `maxRSS` would still hold that of the process which started it. */
const peakMiB = (): number => {
  if (process.platform !== "linux") return Math.max(sampled, process.memoryUsage.rss()) / 1024 / 1024;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
};

// The first fetch loads what every fetch needs.
await fetchOnce(new URL("/small", url).href);
const before = peakMiB();
const said = await fetchOnce(url);
process.stdout.write(JSON.stringify({ said: said.split("\n", 1)[0], grownMiB: peakMiB() - before }));
