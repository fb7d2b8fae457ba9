import { expect, test } from "vitest";
import { createSlashCommands } from "../command/slash-commands.ts";
import { completeAt } from "./completion.ts";
import { textOf } from "./text-editor.ts";

const commands = createSlashCommands<null>([
  {
    name: "spawn",
    takes: "agent task",
    about: "runs an agent",
    complete: () => ["researcher", "reviewer"],
    run: () => undefined,
  },
  { name: "sessions", takes: "", about: "lists sessions", run: () => undefined },
]);
const complete = async (text: string): Promise<readonly string[] | undefined> =>
  (
    await completeAt(textOf(text), {
      commands,
      context: null,
      files: async () => ["src/cart.ts", "README.md", "src/a/cart.test.ts"],
    })
  )?.suggestions.map((one) => one.text);

test("commands, what they take, and files are suggested, the best first", async () => {
  expect(await complete("/s")).toEqual(["/spawn ", "/sessions "]);
  expect(await complete("/spawn re")).toEqual(["reviewer ", "researcher "]);
  expect(await complete("look at @cart")).toEqual(["@src/cart.ts ", "@src/a/cart.test.ts "]);
  expect(await complete("mail me@cart")).toBeUndefined();
  expect(await complete("plain words")).toBeUndefined();
});

test("a command can be added later, and takes no name that is taken", async () => {
  commands.add({ name: "deploy", takes: "", about: "of the project", run: () => undefined });
  commands.add({ name: "spawn", takes: "", about: "another", run: () => undefined });
  expect(await complete("/dep")).toEqual(["/deploy "]);
  expect(commands.find("spawn")?.about).toBe("runs an agent");
  await expect(commands.run("/spwan x", null)).rejects.toThrow("There is no /spwan; did you mean /spawn?");
  await expect(commands.run("/weather x", null)).rejects.toThrow(/^There is no \/weather\.$/);
});
