/** The shop of `examples/test-apps/shop`, visited by plain HTTP: each bug shows where it is planted, and nothing of it where it is not. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { type Bug, BUGS } from "../../examples/test-apps/shop/bugs.ts";
import { createShopServer } from "../../examples/test-apps/shop/server.ts";

/** One visitor with a cookie of their own. Forms are followed to the page they lead to. */
class Visitor {
  readonly #origin: string;
  #cookie = "";

  constructor(origin: string) {
    this.#origin = origin;
  }

  async get(target: string): Promise<string> {
    return (await this.#fetch(target)).text();
  }

  async status(target: string): Promise<number> {
    return (await this.#fetch(target)).status;
  }

  async post(target: string, fields: Record<string, string> = {}): Promise<string> {
    const response = await this.#fetch(target, { method: "POST", body: new URLSearchParams(fields) });
    return this.get(response.headers.get("location") ?? "");
  }

  async signIn(name: string, password = `${name}-secret`): Promise<string> {
    return this.post("/login", { name, password });
  }

  async add(id: string, quantity = 1): Promise<string> {
    return this.post("/cart/add", { id, quantity: String(quantity) });
  }

  async #fetch(target: string, init: RequestInit = {}): Promise<Response> {
    const headers = { cookie: this.#cookie };
    const response = await fetch(new URL(target, this.#origin), { ...init, headers, redirect: "manual" });
    const cookie = response.headers.get("set-cookie")?.split(";")[0];
    if (cookie !== undefined) this.#cookie = cookie;
    return response;
  }
}

type Visit = (origin: string) => Promise<boolean>;

const total = (page: string): string => /<strong>(.*?) €<\/strong>/u.exec(page)?.[1] ?? "none";
const names = (page: string): string[] => [...page.matchAll(/<tr><td>(.*?)<\/td>/gu)].map((match) => match[1] ?? "");

/** For each bug, whether a visitor sees it. */
const SEES: Record<Bug, Visit> = {
  "wrong-total": async (origin) => {
    const anna = new Visitor(origin);
    await anna.add("coffee");
    return total(await anna.add("dark-chocolate", 2)) !== "23.30";
  },
  "discount-twice": async (origin) => {
    const anna = new Visitor(origin);
    await anna.add("coffee");
    const first = total(await anna.post("/cart/code", { code: "SPRING15" }));
    return total(await anna.post("/cart/code", { code: "SPRING15" })) !== first;
  },
  "stock-not-lowered": async (origin) => {
    const anna = new Visitor(origin);
    await anna.signIn("anna");
    await anna.add("fig-jam", 2);
    await anna.post("/order");
    return !(await anna.get("/?q=Fig")).includes("1 in stock");
  },
  "admin-for-everyone": async (origin) => {
    const anna = new Visitor(origin);
    await anna.signIn("anna");
    return (await anna.status("/admin")) !== 403;
  },
  "search-misses-umlauts": async (origin) => !names(await new Visitor(origin).get("/?q=Müsli")).includes("Crunchy Müsli"),
  "cart-after-logout": async (origin) => {
    const anna = new Visitor(origin);
    await anna.signIn("anna");
    await anna.add("coffee");
    return !(await anna.post("/logout")).includes("Cart (0)");
  },
  "rounding-down": async (origin) => {
    const anna = new Visitor(origin);
    await anna.add("coffee");
    return total(await anna.post("/cart/code", { code: "SPRING15" })) !== "15.86";
  },
  "page-off-by-one": async (origin) => {
    const anna = new Visitor(origin);
    const [first, second] = [names(await anna.get("/")), names(await anna.get("/?page=2"))];
    return second.some((name) => first.includes(name));
  },
  "expired-code-accepted": async (origin) => {
    const anna = new Visitor(origin);
    await anna.add("coffee");
    return !(await anna.post("/cart/code", { code: "WINTER20" })).includes("The code WINTER20 has expired.");
  },
  "minimum-ignored": async (origin) => {
    const anna = new Visitor(origin);
    await anna.add("coffee");
    return total(await anna.post("/cart/code", { code: "MINUS5" })) !== "17.80";
  },
  "more-than-stock": async (origin) => !(await new Visitor(origin).add("fig-jam", 4)).includes("Only 3 of Fig jam in stock."),
  "quantity-not-added": async (origin) => {
    const anna = new Visitor(origin);
    await anna.add("coffee");
    return !(await anna.add("coffee")).includes("Cart (2)");
  },
  "removes-first-line": async (origin) => {
    const anna = new Visitor(origin);
    await anna.add("coffee");
    await anna.add("green-tea");
    return names(await anna.post("/cart/remove", { id: "green-tea" }))[0] !== "Coffee beans";
  },
  "orders-of-others": async (origin) => {
    const [anna, ben] = [new Visitor(origin), new Visitor(origin)];
    await anna.signIn("anna");
    await anna.add("coffee");
    await anna.post("/order");
    await ben.signIn("ben");
    return !(await ben.get("/orders")).includes("No orders yet.");
  },
  "oldest-order-first": async (origin) => {
    const anna = new Visitor(origin);
    await anna.signIn("anna");
    for (const id of ["coffee", "green-tea"]) {
      await anna.add(id);
      await anna.post("/order");
    }
    const page = await anna.get("/orders");
    return page.indexOf("Green tea") > page.indexOf("Coffee beans");
  },
  "any-password": async (origin) => !(await new Visitor(origin).signIn("anna", "guessed")).includes("Wrong name or password."),
  "search-by-case": async (origin) => !names(await new Visitor(origin).get("/?q=COFFEE")).includes("Coffee beans"),
  "sold-out-buyable": async (origin) => (await new Visitor(origin).get("/?q=honey")).includes("Add Forest honey to cart"),
  "price-not-saved": async (origin) => {
    const root = new Visitor(origin);
    await root.signIn("root");
    const after = await root.post("/admin/price", { id: "coffee", price: "11.50" });
    expect(after).toContain("Price of Coffee beans saved.");
    return !(await root.get("/?q=Coffee")).includes("11.50 €");
  },
  "shipping-at-limit": async (origin) => total(await new Visitor(origin).add("olive-oil", 2)) !== "50.00",
};

const withShop = async <T>(bug: Bug | undefined, visit: (origin: string) => Promise<T>): Promise<T> => {
  const server = createShopServer(bug).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await visit(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

const sights = async (bug: Bug | undefined): Promise<string[]> => {
  const seen: string[] = [];
  for (const [name, sees] of Object.entries(SEES)) if (await withShop(bug, sees)) seen.push(name);
  return seen;
};

test("nothing is wrong with the shop as it is", async () => {
  expect(await sights(undefined)).toEqual([]);
});

test.each(BUGS)("%s shows by HTTP, and no other bug with it", async (bug) => {
  expect(await sights(bug)).toEqual([bug]);
});

const serve = (bug: string) =>
  spawn(process.execPath, [path.resolve(import.meta.dirname, "../../examples/test-apps/shop/serve.ts")], {
    env: { ...process.env, SHOP_BUG: bug, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });

test("SHOP_BUG plants the bug into the shop that is started", async () => {
  const child = serve("search-by-case");
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    expect(await SEES["search-by-case"](line)).toBe(true);
  } finally {
    child.kill();
  }
});

test("an unknown bug is refused", async () => {
  const child = serve("no-such-bug");
  let said = "";
  child.stderr.on("data", (part: Buffer) => (said += part.toString()));
  const [code] = (await once(child, "close")) as [number];
  expect(code).not.toBe(0);
  expect(said).toContain("Unknown bug no-such-bug.");
});
