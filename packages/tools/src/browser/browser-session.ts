/**
 * The browser of one session: an isolated context with its tabs, its network, and a log of what happened. All runs of the session share it, and act one
 * after the other.
 */
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { GuardOptions } from "@retinue/confine";
import { createTemporaryFolder } from "@retinue/confine";
import type { RunId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { DialogAnswer, KnownElement } from "@retinue/protocol/test-case";
import type { ToolScope } from "@retinue/runtime";
import { MAIL_CODE_REFERENCE, SECRET_REFERENCE, TOTP_REFERENCE } from "@retinue/runtime";
import type { BrowserContext, Dialog, Download, Locator, Page, Request } from "playwright-core";
import type { SecretValues } from "../fill-secrets.ts";
import { waitForMailCode } from "../one-time-code/inbox.ts";
import { parseTotpKey, totp } from "../one-time-code/totp.ts";
import { ANNOUNCE, ANNOUNCE_SCRIPT } from "./announcements.ts";
import type { BrowserProcess, StartedBrowser } from "./browser-process.ts";
import { createMask, toTextPattern } from "./mask-secrets.ts";
import type { ElementInput } from "./element-input.ts";
import type { PageNetwork } from "./page-network.ts";
import { openPageNetwork } from "./page-network.ts";
import { isProxyAnswer, NO_CONNECTION } from "./unreachable.ts";
import type { PageTree } from "./page-tree.ts";
import { readPageTree } from "./page-tree.ts";
import type { LoggedRequest } from "./session-log.ts";
import { SessionLog, since } from "./session-log.ts";
import { scrubTrace } from "./recording/scrub-trace.ts";
import type { Look } from "./recording/screencast.ts";
import { Screencast } from "./recording/screencast.ts";
import type { BrowserSessionOptions, StorageState } from "./session-options.ts";
import { toContextOptions } from "./session-options.ts";
import { WAIT_MS } from "./wait-for-element.ts";

/** How long anything but an act may take by default. */
const DEFAULT_MS = 5_000;

export type OpenSessionOptions = {
  readonly process: BrowserProcess;
  readonly rules: GuardOptions;
  readonly secrets: () => SecretValues;
  readonly session: BrowserSessionOptions;
  /** Hosts that may be reached before an agent acts under its own rights; none by default. A person has no bounds: an empty list. */
  readonly hosts?: ToolScope["hosts"];
};

/** An act as it was done, for whoever wants to do it again. */
export type DoneAct = {
  readonly at: number;
  readonly tool: string;
  readonly input: unknown;
  /** Of the element, by what a user perceives, in the notation of Playwright. */
  readonly locator: string | undefined;
  readonly element: KnownElement | undefined;
};

/** What was asked to be recorded of a session, without secrets. */
export type BrowserRecordings = {
  /** As Playwright's viewer of traces reads it. */
  readonly trace?: Buffer;
  /** An animated PNG. */
  readonly video?: Buffer;
};

export class BrowserSession {
  readonly log = new SessionLog();
  readonly acts: DoneAct[] = [];
  readonly started: StartedBrowser;
  readonly context: BrowserContext;
  readonly mask: (text: string) => string;
  /** Fields that hold a secret, covered in screenshots. */
  readonly covered: Locator[] = [];
  readonly #options: OpenSessionOptions;
  readonly #network: PageNetwork;
  readonly #scope: { hosts: ToolScope["hosts"] | undefined };
  readonly #requests = new Map<Request, LoggedRequest>();
  readonly #dialogs: DialogAnswer[];
  readonly #typed = new Map<string, string>();
  #screencast: Screencast | undefined;
  #isTraced = false;
  #lookMark = 0;
  #page: Page | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #openedAt = Date.now();
  #stepMark = 0;
  #actor: RunId | undefined;

  private constructor(options: OpenSessionOptions, parts: Parts) {
    this.#options = options;
    this.#network = parts.network;
    this.#scope = parts.scope;
    this.started = parts.started;
    this.context = parts.context;
    this.#dialogs = [...(options.session.dialogs ?? [])];
    this.mask = createMask(() => this.#typed);
    // Another session may have typed them, as one that logged a role in.
    for (const [name, value] of options.session.secrets ?? []) if (value !== "") this.#typed.set(value, `{{secret:${name}}}`);
  }

  static async open(options: OpenSessionOptions): Promise<BrowserSession> {
    const started = await options.process.hold();
    const scope: { hosts: ToolScope["hosts"] | undefined } = { hosts: options.hosts };
    let network: PageNetwork | undefined;
    try {
      const refused: string[] = [];
      const onRefused = { tell: (why: string): void => void refused.push(why) };
      network = await openPageNetwork({
        ...options.rules,
        allowHosts: () => [...(options.rules.allowHosts ?? []), ...(options.session.allowHosts ?? [])],
        hosts: () => scope.hosts,
        onRefused: (why) => onRefused.tell(why),
      });
      const context = await started.browser.newContext(await toContextOptions(options.session, network.proxy));
      const session = new BrowserSession(options, { started, context, network, scope });
      onRefused.tell = (why) => session.log.say(session.log.refused, why);
      await session.#prepare();
      return session;
    } catch (thrown) {
      await network?.close();
      await options.process.letGo();
      throw thrown;
    }
  }

  /** The tab that is acted in. Opened where there is none. */
  async page(): Promise<Page> {
    if (this.#page && !this.#page.isClosed()) return this.#page;
    this.#page = this.context.pages().at(-1) ?? (await this.context.newPage());
    return this.#page;
  }

  /** Undefined where nothing was opened yet. */
  get currentPage(): Page | undefined {
    return this.#page && !this.#page.isClosed() ? this.#page : this.context.pages().at(-1);
  }

  select(page: Page): void {
    this.#page = page;
  }

  /** Acts of several runs never mix; each is under the rights of the run that does it. */
  async inTurn<T>(scope: ToolScope, work: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    const mine = (async () => {
      await before.catch(() => undefined);
      this.#scope.hosts = scope.hosts;
      return work();
    })();
    this.#turn = mine;
    return mine;
  }

  /** Throws why it may not be gone to. */
  async judge(address: string): Promise<URL> {
    const url = URL.parse(address, this.#options.session.baseUrl);
    if (url?.href === "about:blank") return url;
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
      throw new RetinueError("act_denied", `The browser does not open "${address.slice(0, 200)}".`, {
        hint: "Give a whole address that begins with http:// or https://.",
      });
    await this.#network.judge(url);
    return url;
  }

  async readTree(): Promise<PageTree> {
    const from = Date.now();
    let showsSecret = false;
    const mask = (text: string): string => {
      const masked = this.mask(text);
      showsSecret ||= masked !== text;
      return masked;
    };
    const tree = await readPageTree(await this.page(), { mask, timeoutMs: 2 * DEFAULT_MS });
    this.log.keepTree(tree);
    const announced = this.#announcedSecret();
    this.#screencast?.looked({ from, to: Date.now(), showsSecret: showsSecret || announced });
    return tree;
  }

  /** The value of a secret by its name, which no text shows from now on. */
  secret(name: string): string {
    const value = this.#options.session.secrets?.get(name) ?? this.#options.secrets().get(name);
    if (value === undefined)
      throw new RetinueError("tool_failed", `There is no secret ${name}, so that nothing was typed.`, {
        hint: "Secrets are those of the workspace's .env and of the test case.",
      });
    this.#typed.set(value, `{{secret:${name}}}`);
    // It is about to be typed, and may be gone again before the page is read.
    this.#screencast?.looked(secretNow());
    return value;
  }

  /** What is to be typed for a text: its secrets and one-time codes filled in, which no text shows from now on. */
  async fill(text: string, signal: AbortSignal): Promise<string> {
    const values = new Map<string, string>();
    for (const [reference, name = ""] of text.matchAll(SECRET_REFERENCE)) values.set(reference, this.secret(name));
    for (const [reference, name = ""] of text.matchAll(TOTP_REFERENCE)) {
      const key = parseTotpKey(this.secret(name));
      values.set(reference, this.hide(totp(key, Date.now()), reference));
    }
    for (const [reference, address = ""] of text.matchAll(MAIL_CODE_REFERENCE))
      values.set(reference, this.hide(await this.#mailCode(address, signal), reference));
    let filled = text;
    for (const [reference, value] of values) filled = filled.replaceAll(reference, () => value);
    return filled;
  }

  /** Everything on the page that would show a secret in a picture: fields that one was typed into, and texts that hold one. */
  toCover(page: Page): readonly Locator[] {
    const patterns = [...this.#typed.keys()].flatMap((value) => toTextPattern(value) ?? []);
    return [...this.covered, ...page.frames().flatMap((frame) => patterns.map((pattern) => frame.getByText(pattern)))];
  }

  /** From now on no text shows this value, but what it is referred to by. */
  hide(value: string, reference: string): string {
    this.#typed.set(value, reference);
    this.#screencast?.looked(secretNow());
    return value;
  }

  /** Only for a page of the application under test. */
  async #mailCode(address: string, signal: AbortSignal): Promise<string> {
    const { inbox, mailPattern, allowHosts = [] } = this.#options.session;
    if (!inbox)
      throw new RetinueError("tool_failed", "There is no inbox, so that nothing was typed.", {
        hint: "Name one in suite.yaml: inbox: { mailpit: http://127.0.0.1:8025 }.",
      });
    const host = URL.parse(this.currentPage?.url() ?? "")?.host ?? "";
    if (!allowHosts.includes(host))
      throw new RetinueError(
        "act_denied",
        `A code from a mail is not typed into a page of ${host}, which is not the application.`,
      );
    return waitForMailCode({ inbox, address, sinceMs: this.#openedAt, pattern: mailPattern, signal });
  }

  /** The elements that a call of a recorded act can mean, as they were; none outside of doing a case again. */
  knownElements({ role, name }: Pick<ElementInput, "role" | "name">): readonly KnownElement[] {
    const known = this.#options.session.recorded?.elements ?? [];
    return known.filter((one) => one.role === role && one.name === name);
  }

  get mayHeal(): boolean {
    return this.#options.session.recorded?.mayHeal ?? false;
  }

  /** How long an act waits for its element, where its call does not say. */
  get waitMs(): number {
    return this.#options.session.waitMs ?? WAIT_MS;
  }

  /** How the next dialogs are answered, before what was said at first. */
  answerDialogs(answer: DialogAnswer): void {
    this.#dialogs.unshift(answer);
  }

  /** Checks look at what happened since the run that acted last began to act: a step of a test case is carried out by a run of its own. */
  actedBy(runId: RunId): void {
    if (this.#actor === runId) return;
    this.#actor = runId;
    this.#stepMark = this.log.mark();
  }

  get stepMark(): number {
    return this.#stepMark;
  }

  storageState(): Promise<StorageState> {
    return this.context.storageState({ indexedDB: true });
  }

  /** Ends what is recorded, and gives it once. */
  async takeRecordings(): Promise<BrowserRecordings> {
    const [cast, isTraced] = [this.#screencast, this.#isTraced];
    this.#isTraced = false;
    if (cast && this.#typed.size > 0) await this.#lookOnce(cast);
    this.#screencast = undefined;
    const video = await cast?.stop();
    const trace = isTraced ? await this.#readTrace() : undefined;
    return { ...(trace === undefined ? {} : { trace }), ...(video === undefined ? {} : { video }) };
  }

  /** What came after the page was read last may show anything. */
  async #lookOnce(cast: Screencast): Promise<void> {
    try {
      if (this.currentPage) await this.readTree();
    } catch {
      cast.looked(secretNow());
    }
  }

  async close(): Promise<void> {
    try {
      await this.context.close();
    } finally {
      await this.#network.close();
      await this.#options.process.letGo();
    }
  }

  /** What was typed stands in a trace in plain text, and so does what pages sent. */
  async #readTrace(): Promise<Buffer> {
    const raw = path.join(createTemporaryFolder("trace"), "trace.zip");
    try {
      await this.context.tracing.stop({ path: raw });
      return scrubTrace(await readFile(raw), this.mask);
    } finally {
      await rm(path.dirname(raw), { recursive: true, force: true });
    }
  }

  async #prepare(): Promise<void> {
    const { context, log } = this;
    const { clock, trace = false, video = false } = this.#options.session;
    // No pictures: a secret in a field that is no password field would be seen in them.
    if (trace) await context.tracing.start({ screenshots: false, snapshots: { dom: true } });
    this.#isTraced = trace;
    if (video) this.#screencast = Screencast.start(context);
    await context.exposeBinding(ANNOUNCE, (_source, text: unknown) => {
      if (typeof text === "string") log.say(log.announced, text);
    });
    await context.addInitScript(ANNOUNCE_SCRIPT);
    if (clock !== undefined) await context.clock.install({ time: clock });
    context.setDefaultTimeout(DEFAULT_MS);
    context.on("request", (request) => this.#noteRequest(request));
    context.on("response", (response) => {
      const known = this.#requests.get(response.request());
      if (!known) return;
      known.status = response.status();
      known.isUnreachable = isProxyAnswer(response);
    });
    context.on("requestfinished", (request) => this.#endRequest(request, null));
    context.on("requestfailed", (request) => this.#endRequest(request, request.failure()?.errorText ?? "failed"));
    context.on("console", (message) => {
      // That a request failed is told by the request.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        log.say(log.errors, message.text());
    });
    context.on("weberror", (error) => log.say(log.errors, error.error().message));
    context.on("dialog", (dialog) => void this.#answer(dialog));
    context.on("page", (page) => this.#watch(page));
  }

  /** Whether a message that pages announced since the page was read last, and may have taken away again, held a secret. */
  #announcedSecret(): boolean {
    const announced = since(this.log.announced, this.#lookMark);
    this.#lookMark = this.log.mark();
    return announced.some(({ text }) => this.mask(text) !== text);
  }

  #watch(page: Page): void {
    const { log } = this;
    this.#page = page;
    page.on("crash", () => log.say(log.crashes, `The page ${page.url()} crashed.`));
    page.on("download", (download: Download) => {
      const bytes = (async (): Promise<Uint8Array> => readFile(await download.path()))();
      bytes.catch(() => undefined);
      log.downloads.push({ at: log.next(), name: download.suggestedFilename(), url: download.url(), bytes });
    });
  }

  #noteRequest(request: Request): void {
    const entry: LoggedRequest = {
      at: this.log.next(),
      method: request.method(),
      url: request.url(),
      kind: request.resourceType(),
      status: null,
      failure: null,
      isUnreachable: false,
      isDone: false,
      request,
    };
    this.#requests.set(request, entry);
    this.log.requests.push(entry);
  }

  #endRequest(request: Request, failure: string | null): void {
    const known = this.#requests.get(request);
    if (!known) return;
    known.failure = failure;
    if (failure !== null && NO_CONNECTION.test(failure)) known.isUnreachable = true;
    known.isDone = true;
    this.#requests.delete(request);
  }

  async #answer(dialog: Dialog): Promise<void> {
    const { log } = this;
    const [kind, message] = [dialog.type(), dialog.message()];
    const known = this.#dialogs.find((answer) => answer.message === undefined || message.includes(answer.message));
    // Leaving a page is what was asked for.
    const answer = kind === "beforeunload" ? "accept" : (known?.answer ?? "dismiss");
    log.dialogs.push({ at: log.next(), kind, message, answer, isUnexpected: !known && kind !== "beforeunload" });
    await (answer === "accept" ? dialog.accept(known?.text) : dialog.dismiss()).catch(() => undefined);
  }
}

export const openBrowserSession = (options: OpenSessionOptions): Promise<BrowserSession> => BrowserSession.open(options);

const secretNow = (): Look => ({ from: Date.now(), to: Date.now(), showsSecret: true });

type Parts = {
  readonly started: StartedBrowser;
  readonly context: BrowserContext;
  readonly network: PageNetwork;
  readonly scope: { hosts: ToolScope["hosts"] | undefined };
};
