import { symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createTestWorkspace } from "../testing/tool-context.ts";
import { findHostPlaces } from "./host-places.ts";

describe("what a command sees of the machine", () => {
  test("is of a home only its tools, and its caches apart", async () => {
    await using home = await createTestWorkspace({
      ".ssh/id_rsa": "",
      ".nvm/nvm.sh": "",
      ".cargo/bin/cargo": "",
      ".cargo/credentials.toml": "",
      ".cargo/registry/index": "",
    });
    const places = await findHostPlaces({ environment: { HOME: home.workspace }, isRoot: false, emptied: [], closed: [] });
    expect(places.home).toBe(home.workspace);
    expect(places.emptied.some((folder) => home.workspace.startsWith(folder))).toBe(true);
    expect(places.tools.map(({ at }) => path.relative(home.workspace, at))).toEqual([".nvm", ".cargo/bin"]);
    expect(places.caches.map(({ at }) => path.relative(home.workspace, at))).toEqual([".cargo/registry"]);
    expect(places.hidden).toEqual([]);
  });

  test("holds the folders of PATH, but no home and nothing that holds one", async () => {
    await using home = await createTestWorkspace({
      "node/bin/node": "",
      "node/lib/npm": "",
      "project/bin/run": "",
      "project/lib/x": "",
      "project/.env": "",
    });
    await symlink("node", home.at("current"));
    const entries = [
      home.workspace,
      path.dirname(home.workspace),
      "/tmp",
      home.at("current/bin"),
      home.at("project/bin"),
      "relative",
      "/usr/bin",
    ];
    const { tools } = await findHostPlaces({
      environment: { HOME: home.workspace, PATH: entries.join(":") },
      isRoot: false,
      closed: [],
      emptied: [],
    });
    expect(tools).toEqual([
      { from: home.at("node"), at: home.at("current") },
      { from: home.at("project/bin"), at: home.at("project/bin") },
    ]);
  });

  test("is, for root, nothing that others may not read", async () => {
    const { hidden, system } = await findHostPlaces({ environment: {}, isRoot: true, emptied: [], closed: [] });
    expect(hidden).toContainEqual({ path: "/proc/keys", isFolder: false });
    expect(hidden.map((each) => each.path)).not.toContain("/etc/passwd");
    expect(system.map(({ at }) => at)).toContain("/etc/passwd");
    expect(system.map(({ at }) => at)).not.toContain("/etc/shadow");
  });
});
