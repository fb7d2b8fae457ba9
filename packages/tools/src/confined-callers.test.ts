/** Everything that runs programs of a workspace does so in the sandbox: `shell`, `test`, and lines of ours such as what accepts a result. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { probeSandbox } from "@retinue/confine";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace } from "@retinue/confine/testing";
import type { ToolScope } from "@retinue/runtime";
import { expect, test, vi } from "vitest";
import { runShellLine } from "./shell-line.ts";
import { createShellTool } from "./shell.ts";
import { createTestTool } from "./test/test.ts";

const machine = await probeSandbox();

const CALLERS: Readonly<Record<string, (place: TestWorkspace, scope: ToolScope) => Promise<unknown>>> = {
  shell: async ({ context }, scope) => createShellTool().execute({ command: "bash look.sh" }, { ...context, scope }),
  test: async ({ context }, scope) => createTestTool().execute({}, { ...context, scope }),
  runShellLine: ({ workspace, context: { signal } }, scope) =>
    runShellLine({ command: "bash look.sh", workspace, scope, signal }),
};

test.each(Object.entries(CALLERS))("K2: %s reaches neither the loopback of the machine nor a home", async (_, call) => {
  await using home = await createTestWorkspace({ ".netrc": "canary-of-home" });
  const server = createServer((socket) => socket.on("error", () => undefined).end("reached\n"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await using place = await createTestWorkspace({
    "package.json": JSON.stringify({ name: "mine", scripts: { test: "bash look.sh" } }),
    "look.sh": `{ (exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3) || echo shut; cat "$HOME/.netrc" || echo gone; } > seen 2>/dev/null`,
  });
  vi.stubEnv("HOME", home.workspace);
  try {
    if (machine.backend === "none") {
      await expect(call(place, { writes: [], hosts: [["example.com"]], approve: "all" })).rejects.toMatchObject({
        code: "sandbox_unavailable",
      });
      return;
    }
    await call(place, { writes: [], hosts: [], approve: "all" });
    expect(await readFile(place.at("seen"), "utf8")).toBe("shut\ngone\n");
  } finally {
    server.close();
  }
});
