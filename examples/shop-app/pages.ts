/** The pages of the shop as HTML. Everything that a visitor wrote is escaped. */
import { readFileSync } from "node:fs";
import type { Product, Visitor } from "./visitor.ts";
import { toMoney, totalOf } from "./visitor.ts";

export const CLIENT_SCRIPT = readFileSync(new URL("client.js", import.meta.url), "utf8");

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 46rem; padding: 1rem; }
nav a { margin-right: 1rem; } label { display: block; margin: .5rem 0; } table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #ccc; padding: .3rem; text-align: left; } .error { color: #a00; }
[role=status] { background: #063; bottom: 1rem; color: #fff; padding: .5rem 1rem; position: fixed; right: 1rem; }
[role=status]:empty { display: none; } iframe { border: 1px solid #ccc; height: 8rem; width: 100%; }`;

const toPage = (title: string, body: string, visitor: Visitor | null): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escape(title)} · Corner Shop</title><style>${STYLE}</style></head><body>
${
  visitor?.user == null
    ? ""
    : `<nav aria-label="Main"><a href="/products">Products</a><a href="/upload">Upload</a><a href="/report">Report</a><a href="/account">Account</a></nav>`
}
<main><h1>${escape(title)}</h1>
${body}</main><div role="status" aria-live="polite" id="toast"></div>
<script>window.shopBugs = ${JSON.stringify([...(visitor?.bugs ?? [])])};</script><script src="/client.js"></script></body></html>`;

export const toLoginPage = (problem: string | null): string =>
  toPage(
    "Log in",
    `${problem === null ? "" : `<p role="alert" class="error">${escape(problem)}</p>`}
<form method="post" action="/login">
<label>Email <input name="email" type="email" required autocomplete="off"></label>
<label>Password <input name="password" type="password" required></label>
<button>Log in</button></form>`,
    null,
  );

export const toRows = (products: readonly Product[]): string =>
  products
    .map(
      ({ id, name, price, quantity }) =>
        `<tr data-id="${id}"><td>${escape(name)}</td><td>${toMoney(price)}</td><td>${quantity}</td>` +
        `<td><button type="button" data-delete="${id}" data-name="${escape(name)}" aria-label="Delete ${escape(name)}">Delete</button></td></tr>`,
    )
    .join("");

export const toCount = ({ length }: readonly Product[]): string => (length === 1 ? "1 product" : `${length} products`);

export const toProductsPage = (visitor: Visitor, found: readonly Product[], query: string): string =>
  toPage(
    "Products",
    `<form role="search" action="/products"><label>Search products <input name="q" type="search" value="${escape(query)}"></label><button>Search</button></form>
<p id="count">${toCount(found)}</p>
<table aria-label="Products"><thead><tr><th>Name</th><th>Price</th><th>Quantity</th><th>Actions</th></tr></thead><tbody id="rows">${toRows(found)}</tbody></table>
<p>Total: <strong id="total" data-testid="total">${toMoney(totalOf(visitor))}</strong></p>
<p><a href="/products.csv">Download CSV</a></p>
<section aria-label="Delivery"><h2>Delivery</h2><p id="delivery">Loading…</p></section>
<section aria-label="New product"><h2>New product</h2><form id="new-product" novalidate>
<label>Name <input name="name" autocomplete="off"></label><p class="error" id="name-error"></p>
<label>Price <input name="price" inputmode="decimal" autocomplete="off"></label><p class="error" id="price-error"></p>
<label>Quantity <input name="quantity" inputmode="numeric" value="1" autocomplete="off"></label><p class="error" id="quantity-error"></p>
<button>Save product</button></form></section>
<dialog id="confirm" aria-labelledby="confirm-title"><h2 id="confirm-title"></h2><p>This cannot be undone.</p>
<button type="button" id="confirm-cancel">Cancel</button> <button type="button" id="confirm-delete">Delete</button></dialog>`,
    visitor,
  );

export const toUploadPage = (visitor: Visitor): string =>
  toPage(
    "Upload",
    `<form id="upload"><label>Price list <input type="file" name="file" accept=".csv,.txt"></label><button>Upload file</button></form>
<h2>Files</h2><ul id="files" aria-label="Uploaded files">${toFileItems(visitor)}</ul>`,
    visitor,
  );

export const toFileItems = ({ files }: Visitor): string =>
  files.map(({ name, lines }) => `<li>${escape(name)}: ${lines} lines</li>`).join("");

export const toReportPage = (visitor: Visitor): string =>
  toPage("Report", `<iframe src="/report/frame" title="Stock report"></iframe>`, visitor);

export const toReportFrame = (visitor: Visitor): string => {
  const count = visitor.products.length + (visitor.bugs.has("iframe-wrong") ? 1 : 0);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Stock report</title></head><body>
<h2>Stock</h2><p>Products in stock: <strong data-testid="stock-count">${count}</strong></p><button type="button" onclick="this.textContent = 'Printed'">Print</button></body></html>`;
};

export const toAccountPage = (visitor: Visitor): string =>
  toPage(
    "Account",
    `<p>Logged in as ${escape(visitor.user ?? "nobody")}.</p><form method="post" action="/logout"><button>Log out</button></form>`,
    visitor,
  );
