/** The rules of the shop: prices, stock, carts and orders, without HTTP. Each planted bug is one condition here. */
import { type Bug } from "./bugs.ts";
import {
  createProducts,
  DISCOUNTS,
  FREE_SHIPPING_FROM,
  PAGE_SIZE,
  type Product,
  SHIPPING,
  type User,
  USERS,
} from "./catalogue.ts";

export interface Visitor {
  user?: User;
  cart: Map<string, number>;
  codes: string[];
}

export interface Bill {
  lines: { product: Product; quantity: number; sum: number }[];
  goods: number;
  discount: number;
  shipping: number;
  total: number;
}

export interface Order {
  number: number;
  user: string;
  goods: string[];
  total: number;
}

/** A refusal that the visitor reads. */
export class Refusal extends Error {}

const UMLAUTS = /[äöüß]/iu;

export class Shop {
  readonly #bug: Bug | undefined;
  products = createProducts();
  orders: Order[] = [];

  constructor(bug?: Bug) {
    this.#bug = bug;
  }

  find(id: string): Product {
    const product = this.products.find((one) => one.id === id);
    if (product === undefined) throw new Refusal("Unknown product.");
    return product;
  }

  search(words: string): Product[] {
    if (this.#bug === "search-misses-umlauts" && UMLAUTS.test(words)) return [];
    if (this.#bug === "search-by-case") return this.products.filter((one) => one.name.includes(words));
    return this.products.filter((one) => one.name.toLowerCase().includes(words.toLowerCase()));
  }

  page(products: Product[], page: number): { shown: Product[]; pages: number } {
    const start = (page - 1) * PAGE_SIZE - (this.#bug === "page-off-by-one" && page > 1 ? 1 : 0);
    return {
      shown: products.slice(start, start + PAGE_SIZE),
      pages: Math.max(1, Math.ceil(products.length / PAGE_SIZE)),
    };
  }

  canBuy(product: Product): boolean {
    return product.stock > 0 || this.#bug === "sold-out-buyable";
  }

  signIn(name: string, password: string): User {
    const user = USERS.find((one) => one.name === name);
    if (user === undefined || (user.password !== password && this.#bug !== "any-password")) {
      throw new Refusal("Wrong name or password.");
    }
    return user;
  }

  signOut(visitor: Visitor): void {
    delete visitor.user;
    if (this.#bug === "cart-after-logout") return;
    visitor.cart.clear();
    visitor.codes = [];
  }

  mayManage(visitor: Visitor): boolean {
    return visitor.user?.role === "admin" || (this.#bug === "admin-for-everyone" && visitor.user !== undefined);
  }

  add(visitor: Visitor, id: string, quantity: number): void {
    const product = this.find(id);
    if (!Number.isInteger(quantity) || quantity < 1) throw new Refusal("Enter a whole number of at least 1.");
    const before = this.#bug === "quantity-not-added" ? 0 : (visitor.cart.get(id) ?? 0);
    const wanted = before + quantity;
    const unlimited = this.#bug === "more-than-stock" || (this.#bug === "sold-out-buyable" && product.stock === 0);
    if (wanted > product.stock && !unlimited) {
      throw new Refusal(`Only ${product.stock} of ${product.name} in stock.`);
    }
    visitor.cart.set(id, wanted);
  }

  remove(visitor: Visitor, id: string): void {
    const first = visitor.cart.keys().next().value;
    visitor.cart.delete(this.#bug === "removes-first-line" && first !== undefined ? first : id);
  }

  applyCode(visitor: Visitor, typed: string): void {
    const discount = DISCOUNTS.find((one) => one.code === typed.trim().toUpperCase());
    if (discount === undefined) throw new Refusal(`Unknown code ${typed}.`);
    if (discount.expired === true && this.#bug !== "expired-code-accepted") {
      throw new Refusal(`The code ${discount.code} has expired.`);
    }
    if (visitor.codes.includes(discount.code) && this.#bug !== "discount-twice") {
      throw new Refusal(`The code ${discount.code} is already applied.`);
    }
    if (this.bill(visitor).goods < (discount.minimum ?? 0) && this.#bug !== "minimum-ignored") {
      throw new Refusal(`The code ${discount.code} needs goods of at least ${euros(discount.minimum ?? 0)}.`);
    }
    visitor.codes.push(discount.code);
  }

  bill(visitor: Visitor): Bill {
    const lines = [...visitor.cart].map(([id, quantity]) => {
      const product = this.find(id);
      return { product, quantity, sum: product.price * quantity };
    });
    const goods = lines.reduce((sum, line) => sum + line.sum, 0);
    const round = this.#bug === "rounding-down" ? Math.floor : Math.round;
    const discount = visitor.codes.reduce((sum, code) => {
      const { percent = 0, cents = 0 } = DISCOUNTS.find((one) => one.code === code) ?? {};
      return sum + cents + round((goods * percent) / 100);
    }, 0);
    const free = this.#bug === "shipping-at-limit" ? goods > FREE_SHIPPING_FROM : goods >= FREE_SHIPPING_FROM;
    const shipping = lines.length === 0 || free ? 0 : SHIPPING;
    const forgotten = this.#bug === "wrong-total" && lines.length > 1 ? (lines.at(-1)?.sum ?? 0) : 0;
    return { lines, goods, discount, shipping, total: goods - forgotten - discount + shipping };
  }

  order(visitor: Visitor): Order {
    if (visitor.user === undefined) throw new Refusal("Sign in to order.");
    const bill = this.bill(visitor);
    if (bill.lines.length === 0) throw new Refusal("Your cart is empty.");
    for (const { product, quantity } of bill.lines) {
      if (quantity > product.stock && this.#bug !== "more-than-stock" && this.#bug !== "sold-out-buyable") {
        throw new Refusal(`Only ${product.stock} of ${product.name} in stock.`);
      }
    }
    for (const { product, quantity } of bill.lines) {
      if (this.#bug !== "stock-not-lowered") product.stock = Math.max(0, product.stock - quantity);
    }
    const order = {
      number: 1001 + this.orders.length,
      user: visitor.user.name,
      goods: bill.lines.map((line) => `${line.quantity} × ${line.product.name}`),
      total: bill.total,
    };
    this.orders.push(order);
    visitor.cart.clear();
    visitor.codes = [];
    return order;
  }

  /** The orders that a customer sees, the newest first. */
  ordersOf(user: User): Order[] {
    const own = this.orders.filter((order) => order.user === user.name || this.#bug === "orders-of-others");
    return this.#bug === "oldest-order-first" ? own : own.toReversed();
  }

  setPrice(id: string, typed: string): void {
    const product = this.find(id);
    const price = Math.round(Number(typed) * 100);
    if (!Number.isFinite(price) || price <= 0) throw new Refusal("Enter a price above 0.");
    if (this.#bug !== "price-not-saved") product.price = price;
  }
}

export const euros = (cents: number): string => `${(cents / 100).toFixed(2)} €`;
