import type { PersonAct, RecordedMoment } from "@retinue/protocol/test-case";
import { expect, test } from "vitest";
import { parseCase } from "../load/parse-case.ts";
import { toCaseYaml } from "./to-case-yaml.ts";

const BASE = "http://127.0.0.1:3000";

type Seen = RecordedMoment["seen"];

const moment = (act: Partial<PersonAct>, told: Seen["told"] = [], url = `${BASE}/list`): RecordedMoment => ({
  act: { kind: "click", role: "button", name: "", place: null, value: "", state: null, secrecy: "none", ...act },
  seen: { url, title: "", told },
});

const LIST = { role: "heading", name: "List", text: "List" };
const DIALOG = { role: "dialog", name: "Delete it?", text: "" };

const MOMENTS = [
  moment({ kind: "navigate", role: "", value: `${BASE}/list` }, [LIST]),
  moment({ name: "Sort" }, [LIST]),
  moment({ name: "Delete" }, [LIST, DIALOG]),
  moment({ name: "Cancel" }, [LIST]),
];

test("what the page showed that is new is expected, a dialog that was closed is expected to be absent, and a step with neither is marked", () => {
  const text = toCaseYaml(MOMENTS, { title: "Recorded", baseUrl: BASE });
  const { cases, problems } = parseCase({ text, file: "a.yaml", suite: {}, suiteFile: null, given: {} });
  expect(problems).toEqual([]);
  expect(cases[0]?.testCase.steps).toEqual([
    {
      action: `Navigate to ${BASE}/list`,
      expected: [
        { check: "url", contains: "/list" },
        { check: "visible", element: { role: "heading", name: "List" } },
      ],
    },
    { action: 'Click the "Sort" button', expected: { check: "url", contains: "/list" } },
    { action: 'Click the "Delete" button', expected: { check: "visible", element: { role: "dialog", name: "Delete it?" } } },
    { action: 'Click the "Cancel" button', expected: { check: "absent", element: { role: "dialog", name: "Delete it?" } } },
  ]);
  const lines = text.split("\n");
  const marked = lines.flatMap((line, at) => (line.includes("say what has to be seen here") ? [lines[at + 1]?.trim()] : []));
  expect(marked).toEqual(['- action: Click the "Sort" button']);
});
