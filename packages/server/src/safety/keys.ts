/** Who may come in: the token of the link, the cookie that stands for it, and a password where one is set. Compared in constant time. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export type Keys = {
  /** 256 random bits, in the link that is printed. */
  readonly token: string;
  readonly cookie: string;
  readonly isToken: (given: string) => boolean;
  readonly isCookie: (given: string) => boolean;
  /** False where no password is set. */
  readonly isPassword: (given: string) => boolean;
};

export type KeyOptions = { readonly token?: string | undefined; readonly password?: string | undefined };

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Digests have one length, whatever was given. */
const equals = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

export const createKeys = ({ token = randomBytes(32).toString("base64url"), password }: KeyOptions = {}): Keys => {
  const cookie = createHmac("sha256", token).update("retinue cookie").digest("base64url");
  return {
    token,
    cookie,
    isToken: (given) => equals(given, token),
    isCookie: (given) => equals(given, cookie),
    isPassword: (given) => password !== undefined && equals(given, password),
  };
};
