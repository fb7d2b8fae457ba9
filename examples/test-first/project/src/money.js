/** Prices are whole cents, so that sums are exact. */
export const toCents = (price) => Math.round(price * 100);

export const formatCents = (cents) => `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
