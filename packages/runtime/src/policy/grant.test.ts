import type { Grant } from "@retinue/protocol";
import { APPROVE_MODES } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import type { DefinedRights, RequestedRights } from "./grant.ts";
import { matchesAny } from "@retinue/protocol/names";
import { narrow } from "./grant.ts";

const ROOT: Grant = {
  tools: ["read", "write", "grep", "shell", "web_fetch", "git.log", "git.push"],
  writes: [],
  hosts: [],
  approve: "ask",
  maxDepth: 3,
};

/** A small generator with a seed, so that a failure can be repeated. */
const createRandom = (seed: number) => {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    next,
    pick: <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T,
    some: <T>(all: readonly T[]): T[] => all.filter(() => next() < 0.5),
  };
};

const NAMES = [...ROOT.tools, "*", "git.*", "re?d", "nope", "../admin", ".*", "Write", "__proto__"];
const PATHS = ["src/a.ts", "tests/a.ts", "docs/x.md", ".env"];
const GLOBS = ["**", "src/**", "tests/**", "*.md"];

const isNoWider = (child: Grant, parent: Grant): boolean =>
  child.tools.every((name) => parent.tools.includes(name)) &&
  parent.writes.every((list) => child.writes.includes(list)) &&
  parent.hosts.every((list) => child.hosts.includes(list)) &&
  APPROVE_MODES.indexOf(child.approve) <= APPROVE_MODES.indexOf(parent.approve) &&
  child.maxDepth <= parent.maxDepth;

describe("a child's rights", () => {
  test("G1 a tool that the parent was not granted is not granted, whatever is asked", () => {
    const { tools, grant } = narrow(
      { ...ROOT, tools: ["read"] },
      { tools: ["*"], deniedTools: [], grant: "own" },
      { tools: ["shell", "read"] },
    );
    expect(tools).toEqual(["read"]);
    expect(grant.tools).toEqual(["read"]);
  });

  test("an agent of its own grant hands on no more than it holds; one of the session's hands on what it was handed", () => {
    const rights = (grant: "own" | "session") => narrow(ROOT, { tools: [], deniedTools: ["shell"], grant });
    expect(rights("own")).toMatchObject({ tools: [], grant: { tools: [] } });
    expect(rights("session")).toMatchObject({ tools: [], grant: { tools: ROOT.tools.filter((name) => name !== "shell") } });
  });

  test.each(["own", "session"] as const)(
    "a hidden tool is not offered to an agent of the grant %s, which hands it on",
    (grant) => {
      const rights = narrow(ROOT, { tools: ["read", "grep"], deniedTools: [], hiddenTools: ["gr*"], grant });
      expect(rights.tools).toEqual(["read"]);
      expect(rights.grant.tools).toContain("grep");
      expect(narrow(rights.grant, { tools: ["*"], deniedTools: [], grant: "own" }).tools).toContain("grep");
    },
  );

  test.each(["own", "session"] as const)(
    "G1 a denied tool reaches nobody below an agent of the grant %s, hidden or not",
    (grant) => {
      const rights = narrow(ROOT, { tools: ["*"], deniedTools: ["grep"], hiddenTools: ["grep"], grant });
      expect([...rights.tools, ...rights.grant.tools]).not.toContain("grep");
    },
  );

  test("G1 a hidden tool that the parent was not granted is not handed on", () => {
    const { grant } = narrow(
      { ...ROOT, tools: ["read"] },
      { tools: ["*"], deniedTools: [], hiddenTools: ["grep"], grant: "session" },
    );
    expect(grant.tools).toEqual(["read"]);
  });

  test("G2 a child never needs less asking than its parent", () => {
    expect(
      narrow({ ...ROOT, approve: "ask" }, { tools: ["*"], deniedTools: [], grant: "own" }, { approve: "all" }).grant.approve,
    ).toBe("ask");
    expect(
      narrow({ ...ROOT, approve: "all" }, { tools: ["*"], deniedTools: [], grant: "own" }, { approve: "read-only" }).grant
        .approve,
    ).toBe("read-only");
  });

  test("denied beats allowed", () => {
    expect(narrow(ROOT, { tools: ["git.*"], deniedTools: ["git.push"], grant: "own" }).tools).toEqual(["git.log"]);
  });

  const expectNoneWider = (trees: number): void => {
    const { next, pick, some } = createRandom(7);
    let wider = 0;
    let made = 0;
    for (let tree = 0; tree < trees; tree += 1) {
      let parent = ROOT;
      for (let depth = 0; depth < 1 + Math.floor(next() * 4); depth += 1) {
        const definition: DefinedRights = {
          tools: some(NAMES),
          deniedTools: some(NAMES).slice(0, 2),
          hiddenTools: some(NAMES).slice(0, 2),
          grant: pick(["own", "session"]),
          ...(next() < 0.5 ? { writes: some(GLOBS) } : {}),
        };
        const request: RequestedRights = {
          ...(next() < 0.5 ? { tools: some(NAMES) } : {}),
          ...(next() < 0.5 ? { approve: pick(APPROVE_MODES) } : {}),
        };
        const { tools, grant } = narrow(parent, definition, request);
        made += 1;
        if (!isNoWider(grant, parent) || !tools.every((name) => parent.tools.includes(name))) wider += 1;
        if (grant.tools.some((name) => matchesAny(definition.deniedTools, name))) wider += 1;
        if (definition.grant === "own" && !grant.tools.every((name) => matchesAny(definition.tools, name))) wider += 1;
        for (const path of PATHS) {
          const may = (one: Grant): boolean => one.writes.every((globs) => matchesAny(globs, path));
          if (may(grant) && !may(parent)) wider += 1;
        }
        parent = grant;
      }
    }
    expect(made).toBeGreaterThan(trees);
    expect(wider).toBe(0);
  };

  test("I4 of 10,000 random trees of delegations none has a wider grant anywhere", () => expectNoneWider(10_000));
  test("I4 of 100,000 random trees of delegations none has a wider grant anywhere", { tags: ["long"] }, () =>
    expectNoneWider(100_000),
  );
});
