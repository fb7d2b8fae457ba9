/** The pages of the shop as HTML. They hold no scripts: every act is a link or a form. */
import { type Product } from "./catalogue.ts";
import { type Bill, euros, type Order, type Visitor } from "./shop.ts";

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

interface Frame {
  title: string;
  visitor: Visitor;
  manages: boolean;
  notice?: string;
  body: string;
}

export const framePage = ({ title, visitor, manages, notice, body }: Frame): string => {
  const pieces = [...visitor.cart.values()].reduce((sum, quantity) => sum + quantity, 0);
  const account =
    visitor.user === undefined
      ? `<a href="/login">Sign in</a>`
      : `<a href="/orders">My orders</a>${manages ? ` <a href="/admin">Admin</a>` : ""}
         <span>Signed in as ${visitor.user.name}</span>
         <form method="post" action="/logout"><button>Sign out</button></form>`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title} · Corner Shop</title>
<style>
body { font: 16px sans-serif; max-width: 800px; margin: 2rem auto; }
nav { display: flex; gap: 1rem; align-items: center; }
td, th { padding: .3rem .8rem; text-align: left; }
form { display: inline; }
[role=status] { background: #eef; padding: .5rem; }
</style></head>
<body>
<nav aria-label="Shop"><a href="/">Products</a> <a href="/cart">Cart (${pieces})</a> ${account}</nav>
<main><h1>${title}</h1>
${notice === undefined ? "" : `<p role="status">${escape(notice)}</p>`}
${body}
</main></body></html>`;
};

interface List {
  shown: Product[];
  found: number;
  page: number;
  pages: number;
  words: string;
  canBuy: (product: Product) => boolean;
}

export const listPage = ({ shown, found, page, pages, words, canBuy }: List): string => {
  const rows = shown.map(
    (product) => `<tr><td>${escape(product.name)}</td><td>${euros(product.price)}</td>
<td>${product.stock === 0 ? "Sold out" : `${product.stock} in stock`}</td>
<td>${canBuy(product) ? addForm(product) : ""}</td></tr>`,
  );
  const link = (to: number, text: string): string =>
    to < 1 || to > pages ? "" : `<a href="/?q=${encodeURIComponent(words)}&page=${to}">${text}</a>`;
  return `<form method="get" action="/" role="search">
<label>Search <input name="q" value="${escape(words)}"></label> <button>Search</button></form>
<p>${found === 1 ? "1 product" : `${found} products`}</p>
<table><thead><tr><th>Product</th><th>Price</th><th>Stock</th><th></th></tr></thead><tbody>
${rows.join("\n")}</tbody></table>
<p>${link(page - 1, "Previous page")} Page ${page} of ${pages} ${link(page + 1, "Next page")}</p>`;
};

const addForm = (product: Product): string =>
  `<form method="post" action="/cart/add"><input type="hidden" name="id" value="${product.id}">
<input name="quantity" type="number" min="1" value="1" aria-label="Quantity of ${escape(product.name)}">
<button>Add ${escape(product.name)} to cart</button></form>`;

export const cartPage = (bill: Bill, codes: readonly string[]): string => {
  if (bill.lines.length === 0) return "<p>Your cart is empty.</p>";
  const rows = bill.lines.map(
    ({ product, quantity, sum }) => `<tr><td>${escape(product.name)}</td><td>${quantity}</td><td>${euros(sum)}</td>
<td><form method="post" action="/cart/remove"><input type="hidden" name="id" value="${product.id}">
<button>Remove ${escape(product.name)}</button></form></td></tr>`,
  );
  return `<table><thead><tr><th>Product</th><th>Quantity</th><th>Sum</th><th></th></tr></thead><tbody>
${rows.join("\n")}</tbody></table>
<dl><dt>Goods</dt><dd>${euros(bill.goods)}</dd>
<dt>Discount${codes.length === 0 ? "" : ` (${codes.join(", ")})`}</dt><dd>-${euros(bill.discount)}</dd>
<dt>Shipping</dt><dd>${bill.shipping === 0 ? "free" : euros(bill.shipping)}</dd>
<dt>Total</dt><dd><strong>${euros(bill.total)}</strong></dd></dl>
<form method="post" action="/cart/code"><label>Discount code <input name="code"></label> <button>Apply code</button></form>
<form method="post" action="/order"><button>Place order</button></form>`;
};

export const loginPage = (): string => `<form method="post" action="/login">
<p><label>Name <input name="name"></label></p>
<p><label>Password <input name="password" type="password"></label></p>
<button>Sign in</button></form>`;

export const ordersPage = (orders: readonly Order[]): string =>
  orders.length === 0
    ? "<p>No orders yet.</p>"
    : `<ol>${orders
        .map(
          (order) =>
            `<li>Order ${order.number} of ${order.user}: ${escape(order.goods.join(", "))}. Total ${euros(order.total)}</li>`,
        )
        .join("\n")}</ol>`;

export const adminPage = (products: readonly Product[], orders: readonly Order[]): string => `<p>${orders.length} orders</p>
<table><thead><tr><th>Product</th><th>Stock</th><th>Price</th></tr></thead><tbody>
${products
  .map(
    (product) => `<tr><td>${escape(product.name)}</td><td>${product.stock}</td>
<td><form method="post" action="/admin/price"><input type="hidden" name="id" value="${product.id}">
<input name="price" value="${(product.price / 100).toFixed(2)}" aria-label="Price of ${escape(product.name)}">
<button>Save price of ${escape(product.name)}</button></form></td></tr>`,
  )
  .join("\n")}</tbody></table>`;
