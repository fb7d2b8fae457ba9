import { describe, expect, test } from "vitest";
import type { StepEnding } from "./step-ending.ts";
import { readEnding } from "./step-ending.ts";

const PASS = "RESULT: PASS\nSUMMARY: The page is shown.";

describe("an ending", () => {
  const read: readonly (readonly [string, StepEnding])[] = [
    [PASS, { status: "pass", summary: "The page is shown." }],
    ["RESULT: FAIL\nSUMMARY: It is not.", { status: "fail", summary: "It is not." }],
    [`I clicked it.\n\n${PASS}\n\n`, { status: "pass", summary: "The page is shown." }],
    ["RESULT: PASS\r\nSUMMARY: One.\r\nTwo.", { status: "pass", summary: "One. Two." }],
    ...[
      "RESULT: pass",
      "Result: Pass",
      "result: PASS",
      "RESULT:PASS",
      "RESULT : PASS",
      "RESULT = PASS",
      "RESULT: PASSED",
      "RESULT: PASS.",
      "RESULT: PASS!",
      "RESULT: PASS ✅",
      'RESULT: "PASS"',
      "RESULT: `PASS`",
      "RESULT: **PASS**",
      "**RESULT: PASS**",
      "**RESULT:** PASS",
      "**Result**: Pass",
      "## RESULT: PASS",
      "> RESULT: PASS",
      "- RESULT: PASS",
      " RESULT:  PASS",
      "RESULT:\u00A0PASS",
      "RESULT: PASS\u200B",
      "RESULT: PASS\n",
    ].flatMap((result) =>
      ["SUMMARY: The page is shown.", "**SUMMARY:** The page is shown.", "Summary: The page is shown."].map(
        (summary) => [`${result}\n${summary}`, { status: "pass", summary: "The page is shown." }] as const,
      ),
    ),
    ["RESULT: PASS. The page is shown.", { status: "pass", summary: "The page is shown." }],
    ["RESULT: PASS. It is not listed any more.", { status: "pass", summary: "It is not listed any more." }],
    ["RESULT: FAIL — the page is not shown", { status: "fail", summary: "the page is not shown" }],
    ["RESULT: PASS SUMMARY: The page is shown.", { status: "pass", summary: "The page is shown." }],
    ["**RESULT: FAILED** The page\nis not shown.", { status: "fail", summary: "The page is not shown." }],
    [`\`\`\`\n${PASS}\n\`\`\``, { status: "pass", summary: "The page is shown." }],
    ["Result: fail\n\nSummary: The list is empty.", { status: "fail", summary: "The list is empty." }],
  ];
  test.each(read)("%j is read", (text, ending) => {
    expect(readEnding(text)).toEqual(ending);
  });

  /** What stands around and in the two lines of a pass, each wrong in one way. */
  const results = [
    "RESULT: PASS (mostly)",
    "RESULT: PASS, but the total is wrong",
    "RESULT: PASS with one exception",
    "RESULT: PASS except for the footer",
    "RESULT: PASS if the price is right",
    "RESULT: PASS, although I did not look",
    "RESULT: PASS, not verified",
    "RESULT: PASS?",
    "RESULT: PASSING",
    "RESULT: PASSWORD",
    "RESULT: PASS or FAIL",
    "RESULT: PASS/FAIL",
    "RESULT: PASS FAIL",
    "RESULT: NOT PASS",
    "RESULT: NO PASS",
    "RESULT: FAIL → PASS",
    "RESULT: PASS → FAIL",
    "RESULT: PARTIAL PASS",
    "RESULT: ALMOST PASS",
    "RESULT: OK",
    "RESULT: SUCCESS",
    "RESULT: TRUE",
    "RESULT: ✅",
    "RESULT: ПASS",
    "RESULT: PАSS",
    "RESULT:\nPASS",
    "RESULT",
    "RESULT PASS",
    "RESULTS: PASS",
    "RESULT; PASS",
    "MY RESULT: PASS",
    "The RESULT: PASS",
    "EXPECTED RESULT: PASS",
    "PASS",
    "STATUS: PASS",
    "VERDICT: PASS",
    '{"RESULT": "PASS"}',
    "RESULT: P A S S",
    "RESULT: PASS\nRESULT: FAIL",
    "RESULT: FAIL\nRESULT: PASS",
    "RESULT: PASS\n\nRESULT: PASS",
    "**RESULT:** PASS\n**Result:** fail",
    "RESULT: FAIL\nresult: pass",
    "<RESULT: PASS>",
    "RESULT: INCONCLUSIVE",
    "RESULT: BLOCKED",
    "RESULT:",
    "RESULT: FAIL",
    "RESULT: [PASS|FAIL]",
    "~~RESULT: PASS~~",
  ];
  const summaries = ["SUMMARY: The page is shown.", "**Summary:** The page is shown.", "Summary: It is.", "SUMMARY:", "It is."];
  const malformed = [
    ...results.flatMap((result) => summaries.map((summary) => `${result}\n${summary}`)),
    ...["SUMMARY:", "**SUMMARY:**", "", "The page is shown.", "\nThe page is shown."].map((rest) => `RESULT: PASS\n${rest}`),
    "SUMMARY: It is.\nRESULT: PASS",
    `${PASS}\n\nBut I did not look.`,
    `${PASS}\nSUMMARY: Or is it?`,
    `${PASS}\nRESULT: FAIL`,
    `RESULT: FAIL\nSUMMARY: No.\n\n${PASS}`,
    "RESULT: PASS. It is.\n\nBut I did not look.",
    "",
    " ",
    "\n\n",
    "ok",
    "Everything passed.",
    "I could not do it.",
    "PASS PASS PASS",
    "null",
    "true",
    "PASS: yes",
    "[]",
    ...Array.from({ length: 22 }, (_, at) => PASS.slice(0, at)),
  ];

  test("there are at least 200 malformed ones", () => {
    expect(new Set(malformed).size).toBeGreaterThanOrEqual(200);
  });

  test.each(malformed)("%j is no pass", (text) => {
    expect(readEnding(text)?.status).not.toBe("pass");
  });
});
