/** What the user trusts of projects; light to import, since settings ask it. */
export { digestCommandFiles } from "./command-files.ts";
export { digestOf } from "./digest-of.ts";
export { createTrustStore, untrusted } from "./trust-store.ts";
export type { TrustClaim, TrustStore } from "./trust-store.ts";
