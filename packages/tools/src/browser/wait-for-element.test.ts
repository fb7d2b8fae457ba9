import { RetinueError } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import type { ElementInput } from "./element-input.ts";
import { findElement } from "./find-element.ts";
import type { PageNode, PageTree } from "./page-tree.ts";
import { waitForElement } from "./wait-for-element.ts";

const node = (role: string, name: string, states: readonly string[] = []): PageNode => ({
  role,
  name,
  text: "",
  ref: `e${name.length}`,
  states,
  url: undefined,
  placeholder: undefined,
  isClickable: false,
  parent: undefined,
  children: [],
});

const pageOf = (...roots: readonly PageNode[]): PageTree => ({ url: "http://shop/", title: "", roots });

/** Shows one page after the other, then the last one for ever. */
const wait = async (pages: readonly PageTree[], input: ElementInput, waitMs: number) => {
  let at = 0;
  const read = () => Promise.resolve(pages[Math.min(at++, pages.length - 1)] ?? pageOf());
  const until = performance.now() + waitMs;
  const found = await waitForElement({
    read,
    until,
    lookMs: 1,
    signal: new AbortController().signal,
    find: (tree) => Promise.resolve({ node: findElement(tree, input) }),
  });
  return { found, looks: at };
};

const SAVE = { role: "button", name: "Save" };

describe("an element", () => {
  test("that comes late is waited for", async () => {
    const { found, looks } = await wait([pageOf(), pageOf(node("link", "Home")), pageOf(node("button", "Save"))], SAVE, 60_000);
    expect([found.node.name, looks]).toEqual(["Save", 3]);
  });

  test("that is disabled is waited for, and given as it is when the time is up", async () => {
    const locked = node("button", "Save", ["disabled"]);
    expect((await wait([pageOf(locked), pageOf(node("button", "Save"))], SAVE, 60_000)).looks).toBe(2);
    expect((await wait([pageOf(locked)], SAVE, 20)).found.node.states).toEqual(["disabled"]);
  });

  test("that does not come is said with its nearest names", async () => {
    const page = pageOf(node("button", "Save all"), node("button", "Cancel"), node("link", "Saved drafts"));
    await expect(wait([page], { role: "button", name: "Safe" }, 20)).rejects.toThrow(
      'Nothing on the page is button "Safe", so that nothing was done. There is:\n- button "Save all"',
    );
    await expect(wait([page], { role: "button", name: "Save al1" }, 20)).rejects.toThrow('Nearest: button "Save all"');
  });

  test("that could be several is not waited for", async () => {
    const page = pageOf(node("button", "Save"), { ...node("button", "Save"), ref: "e9" });
    await expect(wait([page, pageOf(node("button", "Save"))], SAVE, 60_000)).rejects.toThrow("could be 2 elements");
  });

  test("of a page that cannot be read while it changes is looked for again", async () => {
    let reads = 0;
    const read = () => {
      reads += 1;
      return reads === 1
        ? Promise.reject(new Error("Execution context was destroyed"))
        : Promise.resolve(pageOf(node("button", "Save")));
    };
    const { signal } = new AbortController();
    const find = (tree: PageTree) => Promise.resolve({ node: findElement(tree, SAVE) });
    await expect(waitForElement({ read, find, until: performance.now() + 60_000, lookMs: 1, signal })).resolves.toMatchObject({
      node: { name: "Save" },
    });
  });

  test("is not waited for once the call was stopped", async () => {
    const stop = new AbortController();
    const find = (): Promise<never> => {
      stop.abort(new RetinueError("cancelled", "Enough."));
      return Promise.resolve().then(() => {
        throw findMiss();
      });
    };
    const read = () => Promise.resolve(pageOf());
    await expect(
      waitForElement({ read, find, until: performance.now() + 60_000, lookMs: 1, signal: stop.signal }),
    ).rejects.toThrow();
  });
});

const findMiss = (): unknown => {
  try {
    return findElement(pageOf(), SAVE);
  } catch (thrown) {
    return thrown;
  }
};
