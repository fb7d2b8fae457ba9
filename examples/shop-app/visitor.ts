/** What the shop knows of one visitor: who is logged in and a stock of products of their own, so that visitors never disturb each other. */
import { randomUUID } from "node:crypto";
import type { ShopBug } from "./bugs.ts";

export type Product = { readonly id: number; readonly name: string; readonly price: number; readonly quantity: number };

export type StoredFile = { readonly name: string; readonly lines: number };

export type Visitor = {
  readonly id: string;
  user: string | null;
  products: Product[];
  files: StoredFile[];
  bugs: ReadonlySet<ShopBug>;
  nextId: number;
};

const STOCK: readonly Product[] = [
  { id: 1, name: "Desk lamp", price: 24.5, quantity: 4 },
  { id: 2, name: "Notebook", price: 3.2, quantity: 50 },
  { id: 3, name: "Coffee mug", price: 7.9, quantity: 12 },
  { id: 4, name: "Floor lamp", price: 89, quantity: 2 },
];

export const createVisitor = (bugs: readonly ShopBug[]): Visitor => ({
  id: randomUUID(),
  user: null,
  products: [...STOCK],
  files: [],
  bugs: new Set(bugs),
  nextId: STOCK.length + 1,
});

export const findProducts = ({ products, bugs }: Visitor, query: string): readonly Product[] => {
  const fold = (text: string): string => (bugs.has("search-case") ? text : text.toLowerCase());
  return products.filter(({ name }) => fold(name).includes(fold(query.trim())));
};

export const totalOf = ({ products, bugs }: Visitor): number => {
  let total = 0;
  for (const { price, quantity } of products) total += bugs.has("wrong-total") ? price : price * quantity;
  return total;
};

export const toMoney = (amount: number): string => `€ ${amount.toFixed(2)}`;

/** What is wrong with a product, by field. */
export const checkProduct = (
  { bugs }: Visitor,
  name: string,
  price: number,
  quantity: number,
): Readonly<Record<string, string>> => ({
  ...(name.trim() === "" ? { name: "Enter a name." } : {}),
  ...(price > 0 || bugs.has("validation-off") ? {} : { price: "The price must be more than 0." }),
  ...(Number.isInteger(quantity) && quantity >= 0 ? {} : { quantity: "Enter a whole number." }),
});
