/**
 * `browser_take_screenshot`: keeps a picture of the page as an artifact. With a question a model that reads images answers it; the picture itself never
 * enters the context. Where no model reads images it says so, and what the page shows as text serves.
 */
import type { AnyTool, ToolOutput } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { neutralise } from "@retinue/runtime";
import { toMostChars } from "./act.ts";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";
import { askAboutPicture, takePicture } from "./look-at-page.ts";
import { toOutline } from "./show-tree.ts";

const INPUT = z.object({
  question: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .describe('What to find out from the picture, such as "Is the login page shown?".'),
  fullPage: z.boolean().optional().describe("The whole page in place of what is in view."),
});

type ScreenshotInput = z.infer<typeof INPUT>;

/** What stands in for an answer takes no more than this share of an output. */
const SHARE = 0.3;

export const createBrowserTakeScreenshot = ({ browser, visionModel }: BrowserToolOptions): AnyTool =>
  defineTool<ScreenshotInput, BrowserSession>({
    name: "browser_take_screenshot",
    description: "Takes a picture of the page, keeps it as evidence, and answers a question about it.",
    input: INPUT,
    effect: "read",
    resource: browser,
    execute: ({ question, fullPage = false }, context, session) =>
      session.inTurn(context.scope, async (): Promise<ToolOutput> => {
        const page = await session.page();
        const image = await takePicture(session, page, fullPage);
        const artifact = await context.artifacts.write(image.data, image.mediaType);
        const kept = `Screenshot of ${session.mask(page.url())} kept as artifact:${artifact.artifactId}.`;
        if (question === undefined) return { content: [{ type: "text", text: kept }], artifact };
        const looked = await askAboutPicture({ context, visionModel, image, text: question });
        if (looked)
          return {
            content: [
              {
                type: "text",
                text: `${kept}\n${looked.model} answers (not deterministic): ${neutralise(session.mask(looked.text))}`,
              },
            ],
            artifact,
            spent: looked.spent,
          };
        const outline = toOutline(await session.readTree(), Math.floor(toMostChars(context) * SHARE));
        const none =
          "There is no model that reads images (setting visionModel), so that the question was not asked. The page as text:";
        return { content: [{ type: "text", text: `${kept}\n${none}\n${neutralise(outline)}` }], artifact };
      }),
  });
