/** Who may come in: the token of the link, the cookie that stands for it, and a password where one is set. Compared in constant time. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export type Keys = {
  /** 256 random bits, in the link that is printed. */
  readonly token: string;
  /** A cookie of its own for each who signs in. */
  readonly issueCookie: () => string;
  /** Ends it, also for a server that is started later. */
  readonly revokeCookie: (given: string) => Promise<void>;
  readonly isToken: (given: string) => boolean;
  readonly isCookie: (given: string) => boolean;
  /** False where no password is set. */
  readonly isPassword: (given: string) => boolean;
};

/** What outlives the server, so that a restart signs nobody out. */
export type SignedInStore = {
  /** 256 random bits that cookies are made with. */
  readonly key: string;
  /** The names of cookies that were signed out. */
  readonly revoked: readonly string[];
  readonly revoke: (name: string) => Promise<void>;
};

export type KeyOptions = {
  readonly token?: string | undefined;
  readonly password?: string | undefined;
  /** Without it, cookies end with the server. */
  readonly signedIn?: SignedInStore | undefined;
};

const random = (): string => randomBytes(32).toString("base64url");

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Digests have one length, whatever was given. */
const equals = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

export const createKeys = ({ token = random(), password, signedIn }: KeyOptions = {}): Keys => {
  const key = signedIn?.key ?? random();
  const revoked = new Set(signedIn?.revoked);
  // Another password ends the cookies that were given for the one before.
  const macOf = (name: string): string =>
    createHmac("sha256", key)
      .update(JSON.stringify(["retinue cookie", name, password ?? null]))
      .digest("base64url");
  return {
    token,
    issueCookie: () => {
      const name = randomBytes(16).toString("base64url");
      return `${name}.${macOf(name)}`;
    },
    revokeCookie: async (given) => {
      const [name = ""] = given.split(".");
      revoked.add(name);
      await signedIn?.revoke(name);
    },
    isToken: (given) => equals(given, token),
    isCookie: (given) => {
      const [name = ""] = given.split(".");
      return equals(given, `${name}.${macOf(name)}`) && !revoked.has(name);
    },
    isPassword: (given) => password !== undefined && equals(given, password),
  };
};
