/** Finds on the screen what is described, by a model that reads images. */
import { RetinueError } from "@retinue/protocol";
import type { ToolContext } from "@retinue/runtime";
import { askAboutPicture } from "../browser/look-at-page.ts";
import type { DesktopSession } from "./desktop-session.ts";
import type { Place } from "./parse-place.ts";
import { parsePlace } from "./parse-place.ts";

export type FoundPlace = Place & { readonly how: string };

export type Wanted = {
  readonly x?: number | undefined;
  readonly y?: number | undefined;
  readonly description?: string | undefined;
};

type Finding = { readonly session: DesktopSession; readonly context: ToolContext; readonly visionModel: string | undefined };

/** Throws `tool_failed` where nothing is named, or cannot be found. */
export const findPlace = async (
  { x, y, description }: Wanted,
  { session, context, visionModel }: Finding,
): Promise<FoundPlace> => {
  if (x !== undefined && y !== undefined) return { x, y, how: `at ${x},${y}` };
  if (description === undefined)
    throw new RetinueError("tool_failed", "No place is named, so that nothing was done.", {
      hint: "Give x and y, or a description.",
    });
  const size = await session.size();
  const image = { data: await session.picture(context.signal), mediaType: "image/png" } as const;
  const looked = await askAboutPicture({
    context,
    visionModel,
    image,
    text: `The picture is ${size.width} pixels wide and ${size.height} high. Where is the middle of: ${description}? Answer with "x,y" in pixels and nothing else, or with "none".`,
  });
  if (!looked)
    throw new RetinueError(
      "tool_failed",
      "There is no model that reads images (setting visionModel), so that nothing can be found by its description.",
      {
        hint: "Give x and y.",
      },
    );
  const place = parsePlace(looked.text, size);
  if (!place)
    throw new RetinueError(
      "tool_failed",
      `${looked.model} does not see ${JSON.stringify(description)} on the screen, so that nothing was done.`,
    );
  return {
    ...place,
    how: `at ${place.x},${place.y}, where ${looked.model} sees ${JSON.stringify(description)} (not deterministic)`,
  };
};

export const toChange = (hasChanged: boolean): string => (hasChanged ? "The screen changed." : "Nothing changed on the screen.");
