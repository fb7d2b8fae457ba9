import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createProject } from "../../cli/testing/spawn-retinue.ts";
import { ENTER, playTui, type Played } from "../testing/play-tui.ts";
import { toImagePaths } from "./pasted-images.ts";

/** The smallest PNG that says how large it is. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test.each([
  ["/a/shot.png", ["/a/shot.png"]],
  ["'/a/my shot.png'", ["/a/my shot.png"]],
  ["/a/my\\ shot.PNG ", ["/a/my shot.PNG"]],
  ["/a/Screenshot 2026-11-17 at 1.02.png", ["/a/Screenshot 2026-11-17 at 1.02.png"]],
  ["file:///a/my%20shot.jpg", ["/a/my shot.jpg"]],
  ["/a/b.png '/c d.gif'\n/e.webp", ["/a/b.png", "/c d.gif", "/e.webp"]],
  ["look at /a/b.png", undefined],
  ["/a/b.ts", undefined],
  ["", undefined],
  ["see shot.png\nand this", undefined],
])("a paste of %j is %j", (text, paths) => expect(toImagePaths(text)).toEqual(paths));

let played: Played | undefined;
afterEach(() => played?.close());

const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`;

test("a pasted path of an image becomes a mark in the text, goes with the turn, and is taken away as a whole", async () => {
  const project = await createProject();
  await writeFile(join(project.workspace, "my shot.png"), PNG);
  played = await playTui({ project, readsImages: true, script: [{ text: "I see." }] });
  await played.press("what is ", paste(`'${join(project.workspace, "my shot.png")}'`));
  await played.until("› what is [image my shot.png]");
  await played.press(paste(join(project.workspace, "my shot.png")));
  await played.until("[image my shot.png #2]");
  await played.press("\u007f", "\u007f");
  expect(played.screen()).toMatch(/› what is \[image my shot\.png\] *$/m);
  await played.press("?", ENTER);
  await played.until("I see.");
  expect(played.all()).toContain(" you  what is [image my shot.png] ?\n");
  const events = await played.retinue.events(played.tui.conversation.main()?.sessionId ?? "ses_");
  expect(events.find(({ type }) => type === "run.requested")).toMatchObject({
    task: [
      { type: "text", text: "what is [image my shot.png] ?" },
      { type: "image", mediaType: "image/png", data: PNG.toString("base64") },
    ],
  });
});

test("a model that is not known to see is given the path, and that is said; what is no image stays text, too", async () => {
  const project = await createProject();
  const file = join(project.workspace, "shot.png");
  await writeFile(file, PNG);
  played = await playTui({ project, script: [], columns: 200 });
  await played.press(paste(file));
  await played.until("scripted/model is not known to read images");
  expect(played.screen()).toContain(file);
  await played.close();
  played = await playTui({ readsImages: true, script: [], columns: 200 });
  await writeFile(join(played.project.workspace, "shot.png"), "no image at all");
  await played.press(paste(join(played.project.workspace, "shot.png")));
  await played.until("The path stays text: it is no image");
  await played.press(paste("/nowhere/shot.png"));
  await played.until("/nowhere/shot.png");
});
