import { describe, expect, test } from "vitest";
import { readSubTasks } from "./read-sub-tasks.ts";

const TASKS = [
  { description: "Open https://shop.example/login", expected_result: "The login page is shown" },
  { description: "Log in as ada", expected_result: 'The page says "Hello, Ada"' },
];
const READ = TASKS.map(({ description, expected_result: expectedResult }) => ({ step: null, description, expectedResult }));
const FORM = JSON.stringify({ sub_tasks: TASKS });

describe("what an orchestrator replies when it plans", () => {
  test.each([
    ["as the design has it", FORM],
    ["over several lines", JSON.stringify({ sub_tasks: TASKS }, null, 2)],
    ["as an array alone", JSON.stringify(TASKS)],
    ["in a fenced block", `\`\`\`json\n${FORM}\n\`\`\``],
    ["inside prose", `Here is the plan {as asked}:\n\n${FORM}\n\nShall I begin?`],
    ["after its thoughts", `<think>I could write {"sub_tasks": []} here.</think>\n${FORM}`],
    ["after thoughts that it did not open", `First [the login].\n</think>\n${FORM}`],
    ["with trailing commas", FORM.replaceAll("}]", "},]").replaceAll('"}', '",}')],
    [
      "with fields of other names",
      JSON.stringify({
        subTasks: TASKS.map(({ description, expected_result: expected }) => ({ id: 1, task: description, expected })),
      }),
    ],
    ["with the value that it was shown before", `${JSON.stringify({ sub_tasks: [] })} is the form, and this the plan: ${FORM}`],
  ])("is read %s", (_, text) => {
    expect(readSubTasks(text)).toEqual(READ);
  });

  test("keeps the step that a sub-task is for", () => {
    const text = JSON.stringify({ sub_tasks: TASKS.map((task) => ({ ...task, step: 3 })) });
    expect(readSubTasks(text)).toEqual(READ.map((task) => ({ ...task, step: 3 })));
  });

  test("says what is done also where it leaves out what comes of it", () => {
    expect(readSubTasks('[{"description": "Open the browser"}]')).toEqual([
      { step: null, description: "Open the browser", expectedResult: "It is done." },
    ]);
  });

  test.each([
    ["", "nothing"],
    ["I cannot plan this.", "prose"],
    ['{"decision": "stop", "reason": "no"}', "another reply"],
    ['{"sub_tasks": []}', "no sub-task"],
    ['{"sub_tasks": [{"expected_result": "x"}]}', "a sub-task that says nothing"],
    ['{"sub_tasks": [{"description": "x"', "half a value"],
    ["[1, 2, 3]", "numbers"],
    ["[".repeat(50_000), "brackets without end"],
  ])("%.40s is no plan: %s", (text) => {
    expect(readSubTasks(text)).toBeNull();
  });
});
