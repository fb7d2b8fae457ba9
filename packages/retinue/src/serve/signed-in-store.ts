/** Who is signed in at the server of this user, in a private file of the user's folder: so that a restart signs nobody out, and a sign-out holds. */
import { readPlainFile } from "@retinue/confine";
import type { SignedInStore } from "@retinue/server";
import { randomBytes } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";

const KEPT = z.object({ key: z.string().min(43), revoked: z.array(z.string().max(100)) });

/** The oldest are forgotten first: browsers have dropped their cookies by their age. */
const MOST_REVOKED = 10_000;
const MOST_BYTES = 2_000_000;

type Kept = z.infer<typeof KEPT>;

const read = async (file: string): Promise<Kept | undefined> => {
  const bytes = await readPlainFile(file, MOST_BYTES);
  if (bytes === undefined) return undefined;
  try {
    return KEPT.safeParse(JSON.parse(bytes.toString("utf8"))).data;
  } catch {
    return undefined;
  }
};

const write = async (file: string, kept: Kept): Promise<void> => {
  const made = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(made, JSON.stringify(kept), { mode: 0o600, flush: true });
  await rename(made, file);
};

export const openSignedInStore = async (home: string): Promise<SignedInStore> => {
  const file = path.join(home, "signed-in.json");
  await mkdir(home, { recursive: true, mode: 0o700 });
  const known = await read(file);
  const kept = known ?? { key: randomBytes(32).toString("base64url"), revoked: [] };
  if (known === undefined) await write(file, kept);
  const add = async (name: string): Promise<void> => {
    const latest = (await read(file)) ?? kept;
    await write(file, { ...latest, revoked: [...latest.revoked, name].slice(-MOST_REVOKED) });
  };
  // One after the other, so that none overwrites another.
  let writing: Promise<unknown> = Promise.resolve();
  return {
    ...kept,
    revoke: async (name) => {
      const before = writing;
      const adding = Promise.allSettled([before]).then(() => add(name));
      writing = adding;
      await adding;
    },
  };
};
