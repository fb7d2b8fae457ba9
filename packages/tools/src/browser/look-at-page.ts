/** Pictures of the page, and questions about them to a model that reads images. Fields and texts that hold a secret are covered. */
import type { ArtifactRef } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { Artifacts, Looked, ToolContext } from "@retinue/runtime";
import type { Page } from "playwright-core";
import type { BrowserSession } from "./browser-session.ts";
import { parsePlace } from "../desktop/parse-place.ts";

export type PageImage = { readonly data: Buffer; readonly mediaType: "image/png" };

export const takePicture = async (session: BrowserSession, page: Page, fullPage = false): Promise<PageImage> => {
  const data = await page.screenshot({
    type: "png",
    fullPage,
    mask: [...session.toCover(page)],
    animations: "allow",
    caret: "initial",
    scale: "css",
  });
  return { data, mediaType: "image/png" };
};

/** Undefined where the page cannot be pictured, which changes nothing of what was found. */
export const keepPicture = async (session: BrowserSession, artifacts: Artifacts): Promise<ArtifactRef | undefined> => {
  try {
    const { data, mediaType } = await takePicture(session, await session.page());
    return await artifacts.write(data, mediaType);
  } catch {
    return undefined;
  }
};

export type Question = {
  readonly context: Pick<ToolContext, "look" | "signal">;
  readonly visionModel: string | undefined;
  readonly image: PageImage;
  readonly text: string;
};

/** Undefined where there is no model that reads images. */
export const askAboutPicture = async ({ context, visionModel, image, text }: Question): Promise<Looked | undefined> =>
  context.look?.(
    { text, image: { type: "image", mediaType: image.mediaType, data: image.data.toString("base64") }, model: visionModel },
    context.signal,
  );

type Looking = {
  readonly session: BrowserSession;
  readonly context: ToolContext;
  readonly visionModel: string | undefined;
  readonly description: string;
};

/** Where on the page a model sees what is described; undefined where no model reads images. */
export const findByLooking = async ({
  session,
  context,
  visionModel,
  description,
}: Looking): Promise<{ readonly x: number; readonly y: number; readonly model: string } | undefined> => {
  const page = await session.page();
  const image = await takePicture(session, page);
  const size = page.viewportSize() ?? { width: 1280, height: 720 };
  const looked = await askAboutPicture({
    context,
    visionModel,
    image,
    text: `The picture is ${size.width} pixels wide and ${size.height} high. Where is the middle of: ${description}? Answer with "x,y" in pixels and nothing else, or with "none".`,
  });
  if (!looked) return undefined;
  const place = parsePlace(looked.text, size);
  if (!place)
    throw new RetinueError(
      "tool_failed",
      `${looked.model} does not see ${JSON.stringify(description)} on the page, so that nothing was done.`,
    );
  return { ...place, model: looked.model };
};
