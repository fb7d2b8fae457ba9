import { describe, expect, test } from "vitest";
import { readEnding } from "@retinue/protocol";

const PASS = "RESULT: PASS\nSUMMARY: The page is shown.";

describe("an ending", () => {
  test.each([
    [PASS, { status: "pass", summary: "The page is shown." }],
    ["RESULT: FAIL\nSUMMARY: It is not.", { status: "fail", summary: "It is not." }],
    [`I clicked it.\n\n${PASS}\n\n`, { status: "pass", summary: "The page is shown." }],
    ["RESULT: PASS\r\nSUMMARY: One.\r\nTwo.", { status: "pass", summary: "One. Two." }],
  ])("%j is read", (text, ending) => {
    expect(readEnding(text)).toEqual(ending);
  });

  /** What stands around and in the two lines of a pass, each wrong in one way. */
  const results = [
    "RESULT: pass",
    "RESULT: Pass",
    "Result: PASS",
    "result: PASS",
    "RESULT:PASS",
    "RESULT : PASS",
    "RESULT - PASS",
    "RESULT = PASS",
    "RESULT: PASSED",
    "RESULT: PASS.",
    "RESULT: PASS!",
    "RESULT: PASS (mostly)",
    "RESULT: PASS or FAIL",
    "RESULT: PASS/FAIL",
    "RESULT: NOT PASS",
    "RESULT: FAIL → PASS",
    'RESULT: "PASS"',
    "RESULT: `PASS`",
    "**RESULT: PASS**",
    "**RESULT:** PASS",
    "# RESULT: PASS",
    "> RESULT: PASS",
    "- RESULT: PASS",
    "1. RESULT: PASS",
    " RESULT: PASS",
    "RESULT:  PASS",
    "RESULT: OK",
    "RESULT: SUCCESS",
    "RESULT: TRUE",
    "RESULT: ✅",
    "RESULT: PASS ✅",
    "RESULT: ПASS",
    "RESULT: PАSS",
    "RESULT:\nPASS",
    "PASS",
    "STATUS: PASS",
    "VERDICT: PASS",
    "RESULT PASS",
    "RESULT: PASS SUMMARY: done",
    '{"RESULT": "PASS"}',
    "RESULT: P A S S",
    "RESULT: PASS\u200b",
    "RESULT:\u00a0PASS",
    "RESULT: PASS\nRESULT: FAIL",
    "RESULT: FAIL\nRESULT: PASS",
    "RESULT: PASS\n\nRESULT: PASS",
    "<RESULT: PASS>",
    "RESULT: INCONCLUSIVE",
    "RESULT: BLOCKED",
    "RESULT:",
  ];
  const summaries = ["SUMMARY: The page is shown.", "SUMMARY:", "Summary: The page is shown.", "", "The page is shown."];
  const malformed = [
    ...results.flatMap((result) => summaries.slice(0, 3).map((summary) => `${result}\n${summary}`)),
    ...summaries.slice(1).map((summary) => `RESULT: PASS\n${summary}`),
    ...summaries.map((summary) => `RESULT: PASS\n\n${summary}`),
    "SUMMARY: It is.\nRESULT: PASS",
    "SUMMARY: It is.\n\nRESULT: PASS\n",
    `${PASS}\n\nBut I did not look.`,
    `${PASS}\nSUMMARY: Or is it?`,
    `${PASS}\nRESULT: FAIL`,
    `RESULT: FAIL\nSUMMARY: No.\n\n${PASS}`,
    ...["```\n", "~~~\n"].map((fence) => `${fence}${PASS}\n\n${fence}`),
    "",
    " ",
    "\n\n",
    "ok",
    "Everything passed.",
    "I could not do it.",
    "RESULT",
    "PASS PASS PASS",
    "The RESULT: PASS line comes later.",
    "null",
    "true",
    "PASS: yes",
    "RESULT; PASS",
    "RESULTS: PASS",
    "RESULT: PASS,",
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
