/** What the shop begins with: products, users and discount codes. Prices are in cents. */
export interface Product {
  id: string;
  name: string;
  price: number;
  stock: number;
}

export interface User {
  name: string;
  password: string;
  role: "customer" | "admin";
}

export interface Discount {
  code: string;
  percent?: number;
  cents?: number;
  /** The goods have to cost at least this much. */
  minimum?: number;
  expired?: boolean;
}

export const createProducts = (): Product[] => [
  { id: "apple-juice", name: "Apple juice", price: 349, stock: 20 },
  { id: "basmati-rice", name: "Basmati rice", price: 429, stock: 15 },
  { id: "coffee", name: "Coffee beans", price: 1290, stock: 8 },
  { id: "dark-chocolate", name: "Dark chocolate", price: 275, stock: 30 },
  { id: "earl-grey", name: "Earl Grey tea", price: 599, stock: 12 },
  { id: "fig-jam", name: "Fig jam", price: 485, stock: 3 },
  { id: "green-tea", name: "Green tea", price: 625, stock: 10 },
  { id: "honey", name: "Forest honey", price: 890, stock: 0 },
  { id: "italian-pasta", name: "Italian pasta", price: 210, stock: 40 },
  { id: "jasmine-tea", name: "Jasmine tea", price: 675, stock: 9 },
  { id: "muesli", name: "Crunchy Müsli", price: 560, stock: 14 },
  { id: "olive-oil", name: "Olive oil", price: 2500, stock: 6 },
  { id: "oel", name: "Kürbiskernöl", price: 1450, stock: 5 },
  { id: "pepper", name: "Black pepper", price: 399, stock: 18 },
];

export const USERS: readonly User[] = [
  { name: "anna", password: "anna-secret", role: "customer" },
  { name: "ben", password: "ben-secret", role: "customer" },
  { name: "root", password: "root-secret", role: "admin" },
];

export const DISCOUNTS: readonly Discount[] = [
  { code: "SPRING15", percent: 15 },
  { code: "MINUS5", cents: 500, minimum: 3000 },
  { code: "WINTER20", percent: 20, expired: true },
];

export const PAGE_SIZE = 6;
export const SHIPPING = 490;
export const FREE_SHIPPING_FROM = 5000;
