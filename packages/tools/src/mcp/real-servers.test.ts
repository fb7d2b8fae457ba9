// @module-tag long
/** Servers from the registry, over both transports. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { toDeclaration } from "@retinue/runtime";
import { probeSandbox } from "@retinue/confine";
import { describe, expect, it } from "vitest";
import { toText } from "@retinue/confine/testing";
import { connect, createFolder, real } from "./testing/connect.ts";

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
};

describe("server-filesystem over stdio", () => {
  it("reads and writes files in its folder and refuses others", async () => {
    const folder = await createFolder();
    await writeFile(path.join(folder, "a.txt"), "alpha");
    await using servers = await connect({ files: { ...real("server-filesystem", folder), writes: ["**"] } }, { cwd: folder });
    expect(servers.servers()).toMatchObject([{ status: "connected", withheld: 0 }]);
    expect(toText(await servers.call("files.read_text_file", { path: path.join(folder, "a.txt") }))).toContain("alpha");
    await servers.call("files.write_file", { path: path.join(folder, "b.txt"), content: "beta" });
    expect(await readFile(path.join(folder, "b.txt"), "utf8")).toBe("beta");
    await expect(servers.call("files.read_text_file", { path: "/etc/passwd" })).rejects.toMatchObject({
      code: "tool_failed",
      message: expect.stringContaining("/etc/passwd"),
    });
  });

  it("H5, N8: what it says of its tools is believed only where the sandbox keeps it from every host", async () => {
    const isConfined = (await probeSandbox()).backend !== "none";
    const settings = real("server-filesystem", await createFolder());
    for (const hosts of [[], undefined]) {
      await using servers = await connect({ files: { ...settings, ...(hosts === undefined ? {} : { hosts }) } });
      const effects = Object.fromEntries(servers.tools().map(({ name, effect, repeatable }) => [name, { effect, repeatable }]));
      const isBelieved = hosts !== undefined && isConfined;
      expect(effects).toMatchObject({
        "files.read_text_file": isBelieved ? { effect: "read", repeatable: true } : { effect: "network", repeatable: false },
        "files.write_file": { effect: "execute", repeatable: false },
        "files.create_directory": { effect: isBelieved ? "write" : "execute", repeatable: false },
      });
    }
  });
});

describe("server-everything", () => {
  it("gives text, images, links, resources and structured content over stdio", async () => {
    await using servers = await connect({ every: real("server-everything", "stdio") });
    expect(toText(await servers.call("every.echo", { message: "hello" }))).toBe("Echo: hello");
    expect(toText(await servers.call("every.get-sum", { a: 2, b: 40 }))).toContain("42");
    expect(await servers.call("every.get-tiny-image")).toMatchObject({
      content: expect.arrayContaining([{ type: "image", mediaType: "image/png", data: expect.stringMatching(/^iVBOR/) }]),
    });
    expect(toText(await servers.call("every.get-resource-links", { count: 2 }))).toMatch(/\[resource demo:\/\/\S+: /);
    expect(toText(await servers.call("every.get-resource-reference", { resourceType: "Text", resourceId: 1 }))).toMatch(
      /\[resource demo:\/\//,
    );
    const weather = toText(await servers.call("every.get-structured-content", { location: "Chicago" }));
    expect(weather.match(/"temperature"/g)).toHaveLength(1);
  });

  it("hands the model the server's own schema, and checks arguments by it", async () => {
    await using servers = await connect({ every: real("server-everything", "stdio") });
    const tool = servers.tool("every.get-sum");
    expect(toDeclaration(tool)).toMatchObject({
      name: "every__get-sum",
      inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
    });
    const parsed = tool.input.safeParse({ a: "two" });
    expect(parsed.error?.issues.map(({ path: at, message }) => `${at.join(".")} ${message}`)).toEqual([
      "b is required",
      "a must be number, not string",
    ]);
    expect(tool.input.parse({ a: 1, b: 2 })).toEqual({ a: 1, b: 2 });
  });

  it("C1: sees nothing of our environment but what is harmless and what its settings name", async () => {
    const env = {
      PATH: process.env["PATH"],
      HOME: "/nowhere",
      ANTHROPIC_API_KEY: "sk-canary-1234567890",
      NODE_OPTIONS: "--no-warnings",
      MY_SETTING: "taken over",
    };
    await using servers = await connect(
      { every: { ...real("server-everything", "stdio"), env: { GIVEN: "${MY_SETTING}" } } },
      { env },
    );
    const seen = JSON.parse(toText(await servers.call("every.get-env"))) as Record<string, string>;
    expect(seen).toMatchObject({ HOME: "/nowhere", GIVEN: "taken over" });
    expect(JSON.stringify(seen)).not.toContain("canary");
    expect(seen).not.toHaveProperty("NODE_OPTIONS");
    expect(seen).not.toHaveProperty("MY_SETTING");
  });

  it("works over streamable HTTP, and a call after it went away says so", async () => {
    const port = await freePort();
    const { command, args = [] } = real("server-everything", "streamableHttp");
    const server = spawn(command, args, { env: { PORT: String(port) }, stdio: ["ignore", "ignore", "pipe"] });
    try {
      await once(server.stderr, "data");
      await using servers = await connect({ every: { url: `http://127.0.0.1:${port}/mcp`, connectTimeoutMs: 30_000 } });
      expect(servers.servers()).toMatchObject([{ status: "connected" }]);
      expect(toText(await servers.call("every.echo", { message: "hello" }))).toBe("Echo: hello");
      expect(servers.tool("every.echo").touches({})).toEqual({ hosts: ["127.0.0.1"] });
      server.kill("SIGKILL");
      await once(server, "exit");
      await expect(servers.call("every.echo", { message: "again" })).rejects.toMatchObject({ code: "tool_failed" });
    } finally {
      server.kill("SIGKILL");
    }
  });
});
