import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const LIST_IMPORTS = `
import { registerHooks } from "node:module";
const seen = [];
registerHooks({ resolve: (name, context, next) => { const found = next(name, context); seen.push(found.url); return found; } });
await import(process.argv[1]);
console.log(JSON.stringify(seen));
`;

test("importing the package loads no HTTP client, no SDK, no catalogue and no schema library", async () => {
  const index = fileURLToPath(new URL("index.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", LIST_IMPORTS, index]);
  const seen = JSON.parse(stdout) as string[];
  expect(seen.some((url) => url.endsWith("/models.ts"))).toBe(true);
  expect(seen.filter((url) => url.includes("/node_modules/"))).toEqual([]);
  expect(seen.filter((url) => /node:https?$|genai-prices\.ts|\/wire\/(?!call-ids|parsed)/.test(url))).toEqual([]);
});
