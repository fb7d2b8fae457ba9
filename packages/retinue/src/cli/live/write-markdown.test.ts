import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createSurroundings } from "../surroundings.ts";
import { canLive } from "./can-live.ts";
import { writeMarkdown } from "./write-markdown.ts";

const written = async (isTTY: boolean, env: NodeJS.ProcessEnv): Promise<string> => {
  let text = "";
  const stdout = Object.assign(
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        text += chunk.toString();
        done();
      },
    }),
    isTTY ? { isTTY, columns: 40, rows: 24 } : {},
  );
  await writeMarkdown("## Found\n\n- **one** `a.ts`\n\u001b[2J", createSurroundings({ stdout, env }));
  return text;
};

test("Markdown is drawn at a terminal, and given as it was written to pipes, screen readers and who wants it plain", async () => {
  expect(await written(true, { NO_COLOR: "1" })).toMatch(/^Found\n\n• one a\.ts\n/);
  expect(await written(true, { TERM: "xterm-256color" })).toContain("\u001b[1;36mFound");
  for (const [isTTY, env] of [
    [false, {}],
    [true, { TERM: "dumb" }],
    [true, { RETINUE_PLAIN: "1" }],
    [true, { INK_SCREEN_READER: "true" }],
  ] as const) {
    expect(await written(isTTY, env)).toMatch(/^## Found\n\n- \*\*one\*\* `a\.ts`\n/);
    expect(canLive({ stderr: createSurroundings({ stderr: Object.assign(new Writable(), { isTTY }) }).stderr, env })).toBe(false);
  }
  // What could drive the terminal never does.
  for (const isTTY of [true, false]) expect(await written(isTTY, {})).not.toContain("\u001b[2J");
});
