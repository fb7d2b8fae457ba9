/** The shop over HTTP. A visitor is known by a cookie; everything is kept in memory and gone with the process. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type Bug } from "./bugs.ts";
import { adminPage, cartPage, framePage, listPage, loginPage, ordersPage } from "./pages.ts";
import { euros, Refusal, Shop, type Visitor } from "./shop.ts";

export const createShopServer = (bug?: Bug): Server => {
  const shop = new Shop(bug);
  const visitors = new Map<string, Visitor>();

  const visit = (request: IncomingMessage, response: ServerResponse): Visitor => {
    const known = /(?:^|;\s*)visitor=([\w-]+)/u.exec(request.headers.cookie ?? "")?.[1];
    const id = known ?? randomUUID();
    if (known === undefined) response.setHeader("set-cookie", `visitor=${id}; HttpOnly; Path=/; SameSite=Lax`);
    const visitor = visitors.get(id) ?? { cart: new Map<string, number>(), codes: [] };
    visitors.set(id, visitor);
    return visitor;
  };

  interface Page {
    title: string;
    body: string;
    status?: number;
  }

  const read = (url: URL, visitor: Visitor): Page => {
    switch (url.pathname) {
      case "/": {
        const words = (url.searchParams.get("q") ?? "").trim();
        const found = shop.search(words);
        const asked = Math.trunc(Number(url.searchParams.get("page") ?? "1"));
        const page = asked >= 1 ? asked : 1;
        const { shown, pages } = shop.page(found, page);
        const canBuy = shop.canBuy.bind(shop);
        return { title: "Products", body: listPage({ shown, found: found.length, page, pages, words, canBuy }) };
      }
      case "/cart":
        return { title: "Your cart", body: cartPage(shop.bill(visitor), visitor.codes) };
      case "/login":
        return { title: "Sign in", body: loginPage() };
      case "/orders":
        if (visitor.user === undefined) return { title: "Sign in", body: loginPage(), status: 401 };
        return { title: "My orders", body: ordersPage(shop.ordersOf(visitor.user)) };
      case "/admin":
        if (!shop.mayManage(visitor)) {
          return { title: "Not allowed", body: "<p>Only administrators see this page.</p>", status: 403 };
        }
        return { title: "Admin", body: adminPage(shop.products, shop.orders) };
      default:
        return { title: "Not found", body: "<p>This page does not exist.</p>", status: 404 };
    }
  };

  /** Carries a form out; answers where to go next and what to say there. */
  const act = (path: string, form: URLSearchParams, visitor: Visitor): { to: string; notice: string } => {
    const field = (name: string): string => form.get(name) ?? "";
    switch (path) {
      case "/cart/add":
        shop.add(visitor, field("id"), Number(field("quantity")));
        return { to: "/cart", notice: `${shop.find(field("id")).name} added to your cart.` };
      case "/cart/remove":
        shop.remove(visitor, field("id"));
        return { to: "/cart", notice: "Removed from your cart." };
      case "/cart/code":
        shop.applyCode(visitor, field("code"));
        return { to: "/cart", notice: "Code applied." };
      case "/login":
        visitor.user = shop.signIn(field("name"), field("password"));
        return { to: "/", notice: `Welcome, ${visitor.user.name}.` };
      case "/logout":
        shop.signOut(visitor);
        return { to: "/", notice: "You are signed out." };
      case "/order": {
        const order = shop.order(visitor);
        return { to: "/orders", notice: `Thank you. Order ${order.number} placed, total ${euros(order.total)}.` };
      }
      case "/admin/price":
        if (!shop.mayManage(visitor)) throw new Refusal("Only administrators may do this.");
        shop.setPrice(field("id"), field("price"));
        return { to: "/admin", notice: `Price of ${shop.find(field("id")).name} saved.` };
      default:
        throw new Refusal("Unknown form.");
    }
  };

  const notices = new WeakMap<Visitor, string>();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "http://shop");
    const visitor = visit(request, response);
    if (request.method === "POST") {
      const form = new URLSearchParams(await text(request));
      const next = attempt(() => act(url.pathname, form, visitor), backFrom(url.pathname));
      notices.set(visitor, next.notice);
      response.writeHead(303, { location: next.to }).end();
      return;
    }
    const { title, body, status = 200 } = read(url, visitor);
    const notice = notices.get(visitor);
    notices.delete(visitor);
    response.writeHead(status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
    const manages = shop.mayManage(visitor);
    response.end(framePage({ title, visitor, manages, body, ...(notice === undefined ? {} : { notice }) }));
  };

  return createServer((request, response) => {
    answer(request, response).catch((problem: unknown) => {
      response.writeHead(500).end(String(problem));
    });
  });
};

const attempt = (act: () => { to: string; notice: string }, back: string): { to: string; notice: string } => {
  try {
    return act();
  } catch (problem) {
    if (problem instanceof Refusal) return { to: back, notice: problem.message };
    throw problem;
  }
};

/** Where a refused form leads. */
const backFrom = (path: string): string => {
  if (path === "/login") return "/login";
  if (path === "/cart/add") return "/";
  return path.startsWith("/admin") ? "/admin" : "/cart";
};
