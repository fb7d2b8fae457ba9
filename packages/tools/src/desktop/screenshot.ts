/** `screenshot`: keeps a picture of the screen as an artifact, and has a model that reads images answer a question about it. */
import type { AnyTool, ToolOutput } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { askAboutPicture } from "../browser/look-at-page.ts";
import { neutralise } from "@retinue/runtime";
import type { DesktopSession } from "./desktop-session.ts";
import type { DesktopToolOptions } from "./desktop-tool-options.ts";

const INPUT = z.object({
  question: z.string().min(1).max(2000).optional().describe('What to find out from the picture, such as "Is the editor open?".'),
});

export const createScreenshotTool = ({ desktop, visionModel }: DesktopToolOptions): AnyTool =>
  defineTool<z.infer<typeof INPUT>, DesktopSession>({
    name: "screenshot",
    description: "Takes a picture of the screen, keeps it as evidence, and answers a question about it.",
    input: INPUT,
    effect: "read",
    resource: desktop,
    execute: ({ question }, context, session) =>
      session.inTurn(async (): Promise<ToolOutput> => {
        const image = { data: await session.picture(context.signal), mediaType: "image/png" } as const;
        const { width, height } = await session.size();
        const artifact = await context.artifacts.write(image.data, image.mediaType);
        const kept = `Screenshot of ${width} × ${height} pixels kept as artifact:${artifact.artifactId}.`;
        if (question === undefined) return { content: [{ type: "text", text: kept }], artifact };
        const looked = await askAboutPicture({ context, visionModel, image, text: question });
        if (!looked)
          return {
            content: [
              {
                type: "text",
                text: `${kept}\nThere is no model that reads images (setting visionModel), so that the question was not asked.`,
              },
            ],
            artifact,
          };
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
      }),
  });
