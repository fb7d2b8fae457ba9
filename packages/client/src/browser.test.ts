/** Client and protocol run where there is nothing but the language: no Node, no page, no library. */
import { createContext, runInContext } from "node:vm";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { foldSession } from "./fold-session.ts";
import { flattenView, generateSession } from "./testing/index.ts";

const ENTRY = "browser-entry";

/** One script that needs no loader. */
const bundleForBrowser = async (source: string): Promise<{ readonly code: string; readonly modules: readonly string[] }> => {
  const bundle = await rolldown({
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
    input: ENTRY,
    platform: "browser",
    plugins: [
      {
        name: "entry",
        resolveId: (id: string) => (id === ENTRY ? { id: fileURLToPath(new URL("browser-entry.ts", import.meta.url)) } : null),
        load: (id: string) => (id.endsWith("browser-entry.ts") ? source : null),
      },
    ],
    onwarn: ({ message }) => {
      throw new Error(message);
    },
  });
  const { output } = await bundle.generate({ format: "iife", name: "bundled" });
  const [{ code, moduleIds }] = output;
  await bundle.close();
  return { code, modules: moduleIds };
};

test("a session is folded by the language alone, and the light entry brings no zod", async () => {
  const { code, modules } = await bundleForBrowser(
    'export { foldSession } from "./index.ts"; export { flattenView } from "./testing/index.ts";',
  );
  expect(modules.filter((id) => id.includes("node_modules"))).toEqual([]);
  const events = [...generateSession({ seed: 5, withLive: true })];
  const context = createContext({ text: JSON.stringify(events) });
  const folded: unknown = runInContext(
    `${code}; JSON.stringify(bundled.flattenView(bundled.foldSession("ses_generated", JSON.parse(text))))`,
    context,
  );
  expect(folded).toBe(JSON.stringify(flattenView(foldSession("ses_generated", events))));
});

test("events are read by their schemas there too", async () => {
  const { code } = await bundleForBrowser('export { readEvent } from "@retinue/protocol/schemas";');
  const [event] = generateSession();
  const read: unknown = runInContext(
    `${code}; JSON.stringify(bundled.readEvent(JSON.parse(text)))`,
    createContext({ text: JSON.stringify(event), URL, TextEncoder }),
  );
  expect(read).toBe(JSON.stringify(event));
});
