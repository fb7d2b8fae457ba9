import type { KnownElement } from "@retinue/protocol/test-case";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findAgain } from "./find-again.ts";
import type { PageNode, PageTree } from "./page-tree.ts";

const node = (role: string, name: string): PageNode => ({
  role,
  name,
  text: "",
  ref: "e1",
  states: [],
  url: undefined,
  placeholder: undefined,
  isClickable: false,
  parent: undefined,
  children: [],
});

/** What stands where the recorded element stood, and has no attribute of it. */
const heal = async (role: string, recorded: string, now: string): Promise<string | null> => {
  const tree: PageTree = { url: "", title: "", roots: [node(role, now)] };
  const known: KnownElement = { role, name: recorded, attributes: {}, place: { index: 1, count: 1, container: null } };
  // Places are looked up in the tree; of the page only a locator is made.
  const page = { getByRef: () => ({}) } as unknown as Page;
  const found = await findAgain({ page, tree, known: [known], mayHeal: true }).catch(() => null);
  return found?.node.name ?? null;
};

describe("healing by place", () => {
  test.each([
    ["Save", "Store"],
    ["Save", "Save changes"],
    ["Log in", "Sign in"],
    ["Delete", "Remove item"],
    ["Next", "Continue"],
  ])("takes a button %j that is now %j", async (recorded, now) => {
    expect(await heal("button", recorded, now)).toBe(now);
  });

  test.each([
    ["Save", "Cancel"],
    ["Save", "Delete"],
    ["Save", "Don't save"],
    ["Save", "Discard and do not save"],
    ["Save", "Save and delete the old one"],
    ["Log in", "Log out"],
    ["Accept", "Reject"],
    ["Yes", "No"],
    ["Save", "Frobnicate"],
    ["Save", ""],
  ])("never takes a button %j that is now %j", async (recorded, now) => {
    expect(await heal("button", recorded, now)).toBeNull();
    expect(await heal("link", recorded, now)).toBeNull();
  });

  test("takes a field whatever it is called now", async () => {
    expect(await heal("textbox", "Name", "Customer")).toBe("Customer");
  });
});
