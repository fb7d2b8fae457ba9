/**
 * Records what a person does in the browser of a session until its last tab is closed: the acts, and what the page showed after each. What was typed into a password field or
 * is one of the workspace's secrets is replaced by its reference at once, in everything that is told.
 */
import type { PersonAct, RecordedMoment } from "@retinue/protocol/test-case";
import { personActSchema } from "@retinue/protocol/test-case";
import type { Page } from "playwright-core";
import type { BrowserSession } from "../browser-session.ts";
import type { PageTree } from "../page-tree.ts";
import { textOf, walk } from "../page-tree.ts";
import { settle } from "../settle.ts";
import { isProxyAnswer, pageUnreachable } from "../unreachable.ts";
import { RECORD, RECORD_SCRIPT } from "./record-script.ts";

export type RecordOptions = {
  readonly url: string;
  /** Values of the workspace's secrets by name. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
  /** The first page is there. Gives what waits until everything that was done so far has been looked at. */
  readonly onOpen?: (looked: () => Promise<unknown>) => void;
  readonly onAct?: (act: PersonAct) => void;
};

const SETTLE_MS = 3_000;
/** A page that changes this long after the last act was opened by hand. */
const BY_HAND_MS = 5_000;

export const recordPerson = async (session: BrowserSession, options: RecordOptions): Promise<readonly RecordedMoment[]> => {
  const moments: RecordedMoment[] = [];
  let work: Promise<unknown> = Promise.resolve();
  let lastAct = 0;
  let taken = 0;
  let lastUrl = "";

  const look = async (act: PersonAct, number: number, mark: number): Promise<void> => {
    // Who goes on already is not waited for, and what is seen then is not of this act alone.
    const isLatest = (): boolean => number === taken;
    if (isLatest()) await settle(session, { mark, mostMs: SETTLE_MS, signal: options.signal }).catch(() => undefined);
    const url = session.mask(lastUrl);
    const tree = isLatest() && session.currentPage ? await session.readTree().catch(() => undefined) : undefined;
    moments.push({ act, seen: tree && isLatest() ? toSeen(tree) : { url, title: "", told: [] } });
  };
  const take = (act: PersonAct): void => {
    lastAct = performance.now();
    taken += 1;
    const [number, mark] = [taken, session.log.mark()];
    options.onAct?.(act);
    work = work.then(() => look(act, number, mark));
  };

  await session.context.exposeBinding(RECORD, (_source, told: unknown) => {
    const act = personActSchema.safeParse(told).data;
    if (act) take(hideSecret(session, act, options.secrets));
  });
  await session.context.addInitScript(RECORD_SCRIPT);
  const watch = (page: Page): void =>
    void page.on("framenavigated", (frame) => {
      const isOwn = frame === page.mainFrame() && /^https?:/.test(frame.url());
      if (isOwn) lastUrl = frame.url();
      if (isOwn && performance.now() - lastAct > BY_HAND_MS) take(toNavigation(session.mask(frame.url())));
    });
  session.context.on("page", watch);

  const ended = new Promise<void>((resolve) => {
    const check = (): void => void (session.context.pages().every((page) => page.isClosed()) && resolve());
    session.context.on("page", (page) => void page.on("close", check));
    session.context.on("close", () => resolve());
    options.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const page = await session.page();
  const { href } = await session.judge(options.url);
  lastAct = performance.now();
  const response = await page.goto(href, { waitUntil: "domcontentloaded" }).catch((thrown: unknown) => {
    throw pageUnreachable(href, "", /ERR_\w+/.exec(String(thrown))?.[0]);
  });
  if (response && isProxyAnswer(response)) throw pageUnreachable(href);
  take(toNavigation(href));
  await work;
  options.onOpen?.(() => work);
  await ended;
  await work;
  return moments;
};

const toNavigation = (url: string): PersonAct => ({
  kind: "navigate",
  role: "",
  name: "",
  place: null,
  value: url,
  state: null,
  secrecy: "none",
});

/** By the name that the workspace has for it, or by one made of the field's. */
const hideSecret = (session: BrowserSession, act: PersonAct, secrets: ReadonlyMap<string, string>): PersonAct => {
  if (act.kind !== "type" || act.value === "") return act;
  // The beginning of a secret is one, too: somebody may pause while typing it.
  const known = [...secrets].find(
    ([, value]) => value === act.value || (act.value.length >= 4 && value.startsWith(act.value)),
  )?.[0];
  if (act.secrecy === "none" && known === undefined) return { ...act, value: session.mask(act.value) };
  const name = known ?? toSecretName(act.name, act.secrecy);
  const reference = act.secrecy === "code" ? `{{totp:${name}}}` : `{{secret:${name}}}`;
  session.hide(act.value, reference);
  return { ...act, value: reference };
};

const toSecretName = (field: string, secrecy: PersonAct["secrecy"]): string => {
  const word = field
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
  const name = /^[A-Z]/.test(word) ? word : `FIELD_${word}`;
  // Only names that say so are secrets.
  return secrecy === "secret" && /(?:PASSWORD|SECRET|TOKEN)$/.test(name) ? name : `${name}_SECRET`;
};

const TOLD: ReadonlySet<string> = new Set(["heading", "dialog", "alertdialog", "alert", "status"]);

const toSeen = (tree: PageTree): RecordedMoment["seen"] => ({
  url: tree.url,
  title: tree.title,
  told: [...walk(tree.roots)]
    .filter(({ role }) => TOLD.has(role))
    .map((node) => ({ role: node.role, name: node.name, text: textOf(node).slice(0, 200) })),
});
