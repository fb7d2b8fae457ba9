/** The bugs that can be planted into the shop, one at a time, by `SHOP_BUG=name`. README.md says what a tester sees of each. */
export const BUGS = [
  "wrong-total",
  "discount-twice",
  "stock-not-lowered",
  "admin-for-everyone",
  "search-misses-umlauts",
  "cart-after-logout",
  "rounding-down",
  "page-off-by-one",
  "expired-code-accepted",
  "minimum-ignored",
  "more-than-stock",
  "quantity-not-added",
  "removes-first-line",
  "orders-of-others",
  "oldest-order-first",
  "any-password",
  "search-by-case",
  "sold-out-buyable",
  "price-not-saved",
  "shipping-at-limit",
] as const;

export type Bug = (typeof BUGS)[number];

/** The bug that a name stands for; nothing for an empty name. An unknown name throws, so that a typing mistake is not taken for a healthy shop. */
export const toBug = (name: string | undefined): Bug | undefined => {
  if (name === undefined || name === "") return undefined;
  const bug = BUGS.find((one) => one === name);
  if (bug === undefined) throw new Error(`Unknown bug ${name}. Known bugs: ${BUGS.join(", ")}.`);
  return bug;
};
