/** `browser_upload`: gives files of the workspace to a file field. They are read like any other file of the workspace, and judged like it. */
import path from "node:path";
import { openRegularFile } from "@retinue/confine";
import { RetinueError } from "@retinue/protocol";
import type { AnyTool, ToolContext } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { runAct } from "./act.ts";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import type { BrowserSession } from "./browser-session.ts";
import { ELEMENT_FIELDS, WAIT_FIELD } from "./element-input.ts";
import { evaluateOn } from "./evaluate-on.ts";
import { toLabel } from "./page-tree.ts";

const INPUT = z.object({
  ...ELEMENT_FIELDS,
  ...WAIT_FIELD,
  paths: z.array(z.string().min(1).max(4096)).min(1).max(20).describe("Files, relative to the workspace."),
});

type UploadInput = z.infer<typeof INPUT>;

const MOST_BYTES = 40_000_000;

export const createBrowserUpload = ({ browser }: BrowserToolOptions): AnyTool =>
  defineTool<UploadInput, BrowserSession>({
    name: "browser_upload",
    description:
      "Gives files of the workspace to a file field, or to a button that opens a file chooser, and tells what changed.",
    input: INPUT,
    effect: "network",
    resource: browser,
    touches: ({ paths }) => ({ paths }),
    execute: (input, context, session) =>
      runAct({
        tool: "browser_upload",
        input,
        context,
        session,
        act: async ({ page, find, options }) => {
          const files = await Promise.all(input.paths.map((file) => readUpload(file, context)));
          const { node, locator } = await find(input);
          const isField = await evaluateOn<boolean>(
            locator,
            `(element) => element.tagName === "INPUT" && element.type === "file"`,
          );
          if (isField) await locator.setInputFiles(files, options);
          else {
            const [chooser] = await Promise.all([
              page.waitForEvent("filechooser", { timeout: options.timeout }),
              locator.click(options),
            ]);
            await chooser.setFiles(files);
          }
          return `Gave ${files.map(({ name }) => JSON.stringify(name)).join(", ")} to ${toLabel(node)}.`;
        },
      }),
  });

type Upload = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };

const readUpload = async (file: string, { workspace }: ToolContext): Promise<Upload> => {
  const { handle, size } = await openRegularFile({ absolute: path.resolve(workspace, file), workspace, shown: file });
  try {
    if (size > MOST_BYTES)
      throw new RetinueError("tool_failed", `${file} is larger than ${MOST_BYTES} bytes, so that nothing was uploaded.`);
    return { name: path.basename(file), mimeType: typeOf(file), buffer: await handle.readFile() };
  } finally {
    await handle.close();
  }
};

const TYPES: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".txt": "text/plain",
  ".json": "application/json",
  ".html": "text/html",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".svg": "image/svg+xml",
  ".zip": "application/zip",
};

const typeOf = (file: string): string => TYPES[path.extname(file).toLowerCase()] ?? "application/octet-stream";
