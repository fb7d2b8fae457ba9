/** What `--help` says fits into a terminal of 80 columns, for every command that there is. */
import { expect, test } from "vitest";
import { widthOf } from "../terminal/text-width.ts";
import { callRetinue } from "./testing/call-retinue.ts";
import { createProject } from "./testing/spawn-retinue.ts";

const helpOf = async (words: readonly string[]): Promise<string> => {
  const project = await createProject();
  try {
    const { code, stdout } = await callRetinue(project, [...words, "--help"]);
    expect(code).toBe(0);
    return stdout;
  } finally {
    await project.remove();
  }
};

/** The names below `Commands:`. */
const commandsIn = (help: string): readonly string[] =>
  [...(/^Commands:\n((?: {2,}.*\n)+)/m.exec(help)?.[1] ?? "").matchAll(/^ {2}([a-z][\w-]*)/gm)].flatMap(([, name]) => name ?? []);

test("every help fits into 80 columns", async () => {
  const waiting: (readonly string[])[] = [[]];
  const seen: string[] = [];
  for (const words of waiting) {
    const help = await helpOf(words);
    seen.push(words.join(" "));
    for (const line of help.split("\n"))
      expect(widthOf(line), `retinue ${words.join(" ")} --help: ${line}`).toBeLessThanOrEqual(80);
    for (const name of commandsIn(help)) if (name !== "help") waiting.push([...words, name]);
  }
  expect(seen).toEqual(expect.arrayContaining(["", "run", "spawn", "fanout", "agents check", "sessions fork", "doctor"]));
});

test("a help gives its examples once", async () => {
  for (const words of [["plan"], ["test"], ["run"]])
    expect((await helpOf(words)).match(/^Examples?:$/gm), words.join(" ")).toHaveLength(1);
});
