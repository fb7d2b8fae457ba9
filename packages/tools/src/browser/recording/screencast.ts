/**
 * A video of what the tabs of a session show, from pictures that the browser sends whenever something changes. A picture is kept where the page was known to show no secret both before
 * and after it; what may have shown one is left out. Long videos lose every second picture, and keep their length.
 */
import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { toApng } from "./apng.ts";

type Picture = { readonly png: Buffer; readonly at: number };

/** A time at which it was known whether the page shows a secret. */
export type Look = { readonly from: number; readonly to: number; readonly showsSecret: boolean };

const MOST_SIDE = 960;
const MOST_PICTURES = 600;
const MOST_BYTES = 24 * 1024 * 1024;
/** The last picture is shown for so long. */
const LAST_MS = 1_000;

export class Screencast {
  readonly #casts = new Set<CDPSession>();
  readonly #looks: Look[] = [];
  #pictures: Picture[] = [];
  #isOver = false;

  static start(context: BrowserContext): Screencast {
    const cast = new Screencast();
    context.on("page", (page) => void cast.#watch(page));
    return cast;
  }

  /** The picture of a page that shows no secret any more may have come before that was known, so that another one is asked for. */
  looked(look: Look): void {
    const wasShown = this.#looks.at(-1)?.showsSecret === true;
    this.#looks.push(look);
    if (wasShown && !look.showsSecret) for (const cast of this.#casts) void start(cast);
  }

  /** As an animated PNG; undefined where nothing was shown. */
  async stop(): Promise<Buffer | undefined> {
    this.#isOver = true;
    for (const cast of this.#casts) await cast.detach().catch(() => undefined);
    const kept = this.#pictures.filter(({ at }) => isClean(at, this.#looks));
    return toApng(kept.map(({ png, at }, index) => ({ png, ms: (kept[index + 1]?.at ?? at + LAST_MS) - at })));
  }

  /** A tab that is closed already has nothing to show. */
  async #watch(page: Page): Promise<void> {
    try {
      const cast = await page.context().newCDPSession(page);
      this.#casts.add(cast);
      cast.on("Page.screencastFrame", ({ data, sessionId, metadata }) => {
        void cast.send("Page.screencastFrameAck", { sessionId }).catch(() => undefined);
        this.#take({ png: Buffer.from(data, "base64"), at: (metadata.timestamp ?? Date.now() / 1000) * 1000 });
      });
      await start(cast);
    } catch {
      // It was closed in the meantime.
    }
  }

  #take(picture: Picture): void {
    if (!this.#isOver) this.#pictures = thin([...this.#pictures, picture]);
  }
}

/** Sends a picture at once, also where pictures are sent already. */
const start = async (cast: CDPSession): Promise<void> => {
  try {
    await cast.send("Page.stopScreencast");
    await cast.send("Page.startScreencast", { format: "png", maxWidth: MOST_SIDE, maxHeight: MOST_SIDE });
  } catch {
    // The tab was closed in the meantime.
  }
};

/** Nothing was typed before the first look. */
export const isClean = (at: number, looks: readonly Look[]): boolean =>
  looks.findLast(({ from }) => from <= at)?.showsSecret !== true && looks.find(({ to }) => to >= at)?.showsSecret !== true;

const thin = (pictures: Picture[]): Picture[] =>
  pictures.length > MOST_PICTURES || pictures.reduce((sum, { png }) => sum + png.length, 0) > MOST_BYTES
    ? pictures.filter((_, index) => index % 2 === 0)
    : pictures;
