/** What the model says: it changes three files, one of them wrongly, sees that in the tests, and mends it. */
import { call, type Part } from "../stage/script.ts";

const edit = (path: string, oldText: string, newText: string): ReturnType<typeof call> =>
  call("edit", { path, edits: [{ old: oldText, new: newText }] });

export const script: readonly Part[] = [
  {
    agent: "main",
    replies: [
      [
        call("test", {}),
        call("read", { path: "src/length.js" }),
        call("read", { path: "src/weight.js" }),
        call("read", { path: "src/temperature.js" }),
      ],
      [
        edit("src/length.js", "inches * 2.54;", "Math.round(inches * 254) / 100;"),
        edit("src/weight.js", "pounds * 0.45359237;", "Math.round(pounds * 45.359237) / 100;"),
        edit("src/temperature.js", "((fahrenheit - 32) * 5) / 9;", "Math.round(((fahrenheit - 32) * 5) / 9);"),
      ],
      [call("test", {})],
      [
        edit(
          "src/temperature.js",
          "Math.round(((fahrenheit - 32) * 5) / 9);",
          "Math.round(((fahrenheit - 32) * 500) / 9) / 100;",
        ),
      ],
      [call("test", {})],
      // It leaves one out; the result has it all the same.
      "All conversions are told to two digits: I changed src/length.js and src/weight.js, and all tests pass.",
    ],
  },
];
