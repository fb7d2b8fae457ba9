/**
 * A small web application to test against: login, products with search, a form with validation, a question in a dialog, an upload, a download, an iframe
 * and content that comes late. Each visitor has products of their own, and bugs can be planted for each. It listens on the loopback interface alone.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { ShopBug } from "./bugs.ts";
import { toBugs } from "./bugs.ts";
import {
  CLIENT_SCRIPT,
  toAccountPage,
  toCount,
  toFileItems,
  toLoginPage,
  toProductsPage,
  toReportFrame,
  toReportPage,
  toRows,
  toUploadPage,
} from "./pages.ts";
import type { Visitor } from "./visitor.ts";
import { checkProduct, createVisitor, findProducts, toMoney, totalOf } from "./visitor.ts";

export type ShopOptions = {
  /** A free one by default. */
  readonly port?: number;
  /** For every visitor; `?bug=name` plants others for one. */
  readonly bugs?: readonly ShopBug[];
  /** How long the next delivery takes to be known. */
  readonly deliveryMs?: number;
};

export type Shop = { readonly url: string; readonly close: () => Promise<void> };

/** Who may log in. */
export const SHOP_LOGIN = { email: "ada@example.com", password: "correct-horse" };

const MOST_BYTES = 1_000_000;
const COOKIE = "shop";

type Answer = {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

const html = (body: string, status = 200): Answer => ({ status, type: "text/html; charset=utf-8", body });
const json = (value: unknown, status = 200): Answer => ({ status, type: "application/json", body: JSON.stringify(value) });
const redirect = (to: string): Answer => ({ status: 303, headers: { location: to } });

export const startShop = async ({ port = 0, bugs = [], deliveryMs = 300 }: ShopOptions = {}): Promise<Shop> => {
  const visitors = new Map<string, Visitor>();
  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? "/", "http://shop");
      const known = visitors.get(readCookie(request));
      const visitor = known ?? createVisitor(bugs);
      visitors.set(visitor.id, visitor);
      const planted = url.searchParams.get("bug");
      if (planted !== null) visitor.bugs = new Set(toBugs(planted));
      const answer = await answerTo({ request, url, visitor, body: await readBody(request), deliveryMs });
      send(response, answer, known ? undefined : `${COOKIE}=${visitor.id}; HttpOnly; SameSite=Lax; Path=/`);
    })().catch((thrown: unknown) => {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      send(response, { status: 400, type: "text/plain; charset=utf-8", body: message }, undefined);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    // It was listened on a port, so that this is one.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

type Asked = {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly visitor: Visitor;
  readonly body: string;
  readonly deliveryMs: number;
};

const answerTo = async (asked: Asked): Promise<Answer> => {
  const { request, url, visitor, body } = asked;
  const route = `${request.method} ${url.pathname}`;
  switch (route) {
    case "GET /":
      return redirect(visitor.user === null ? "/login" : "/products");
    case "GET /favicon.ico":
      return { status: 204 };
    case "GET /client.js":
      return { status: 200, type: "text/javascript; charset=utf-8", body: CLIENT_SCRIPT };
    case "GET /login":
      return html(toLoginPage(null));
    case "POST /login":
      return logIn(visitor, new URLSearchParams(body));
    default:
      return visitor.user === null ? toStranger(url) : answerKnown(route, asked);
  }
};

const toStranger = (url: URL): Answer =>
  url.pathname.startsWith("/api/") ? json({ error: "Log in first." }, 401) : redirect("/login");

const logIn = (visitor: Visitor, form: URLSearchParams): Answer => {
  if (form.get("email") !== SHOP_LOGIN.email || form.get("password") !== SHOP_LOGIN.password)
    return html(toLoginPage("Wrong email or password."), 401);
  visitor.user = SHOP_LOGIN.email;
  return redirect(visitor.bugs.has("wrong-redirect") ? "/account" : "/products");
};

const answerKnown = async (route: string, { url, visitor, body, deliveryMs }: Asked): Promise<Answer> => {
  const query = url.searchParams.get("q") ?? "";
  switch (route) {
    case "GET /products":
      return html(toProductsPage(visitor, findProducts(visitor, query), query));
    case "GET /products.csv":
      return toDownload(visitor);
    case "GET /upload":
      return html(toUploadPage(visitor));
    case "GET /report":
      return html(toReportPage(visitor));
    case "GET /report/frame":
      return html(toReportFrame(visitor));
    case "GET /account":
      return html(toAccountPage(visitor));
    case "POST /logout":
      visitor.user = null;
      return redirect("/login");
    case "GET /api/delivery":
      await sleep(deliveryMs);
      return json({ text: "Next delivery: Tuesday, 09:00" });
    case "POST /api/products":
      return saveProduct(visitor, body);
    case "POST /api/files":
      if (!visitor.bugs.has("upload-dropped"))
        visitor.files.push({
          name: url.searchParams.get("name") ?? "file",
          lines: body.split("\n").filter((line) => line !== "").length,
        });
      return json({ files: toFileItems(visitor) }, 201);
    default:
      return route.startsWith("DELETE /api/products/")
        ? deleteProduct(visitor, Number(url.pathname.split("/").at(-1)))
        : html("<h1>Not found</h1>", 404);
  }
};

const toList = (visitor: Visitor): { readonly rows: string; readonly total: string; readonly count: string } => ({
  count: toCount(visitor.products),
  rows: toRows(visitor.products),
  total: toMoney(totalOf(visitor)),
});

const saveProduct = (visitor: Visitor, body: string): Answer => {
  const given: unknown = JSON.parse(body);
  const field = (name: string): string => {
    const value: unknown = (given as Readonly<Record<string, unknown>>)[name];
    return typeof value === "string" ? value : "";
  };
  const [price, quantity] = [Number(field("price") || "NaN"), Number(field("quantity") || "NaN")];
  const errors = checkProduct(visitor, field("name"), price, quantity);
  if (Object.keys(errors).length > 0) return json({ errors }, 422);
  if (visitor.bugs.has("save-500")) return json({ error: "The stock is locked." }, 500);
  visitor.products.push({ id: visitor.nextId++, name: field("name").trim(), price, quantity });
  return json(toList(visitor), 201);
};

const deleteProduct = (visitor: Visitor, id: number): Answer => {
  visitor.products = visitor.products.filter((product) => product.id !== id);
  return json(toList(visitor));
};

const toDownload = ({ products }: Visitor): Answer => ({
  status: 200,
  type: "text/csv; charset=utf-8",
  headers: { "content-disposition": 'attachment; filename="products.csv"' },
  body: [
    "name,price,quantity",
    ...products.map(({ name, price, quantity }) => `${name},${price.toFixed(2)},${quantity}`),
    "",
  ].join("\n"),
});

const readCookie = ({ headers }: IncomingMessage): string =>
  new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(headers.cookie ?? "")?.[1] ?? "";

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error("The request is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
};

const send = (response: ServerResponse, { status, type, body, headers }: Answer, cookie: string | undefined): void => {
  response.writeHead(status, {
    "cache-control": "no-store",
    ...(type === undefined ? {} : { "content-type": type }),
    ...(cookie === undefined ? {} : { "set-cookie": cookie }),
    ...headers,
  });
  response.end(body ?? "");
};
