import { ORCHESTRATOR } from "@retinue/runtime";
import { expect, test } from "vitest";
import { applyAgentSettings } from "./apply-agent-settings.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";

const QA_STEP = { ...ORCHESTRATOR, name: "qa-step", limits: { iterations: 15, contextTokens: 8_000 } };
const AGENTS = new Map([[QA_STEP.name, QA_STEP]]);

test("what is set for an agent stands above what its file says, and leaves the rest of it", () => {
  const set = { model: "ollama/small", maxOutputTokens: 512, temperature: 0, limits: { iterations: 3 } };
  const { agents, problems } = applyAgentSettings(AGENTS, { ...DEFAULT_SETTINGS, agents: { "qa-step": set } });
  expect(problems).toEqual([]);
  expect(agents.get("qa-step")).toEqual({ ...QA_STEP, ...set, limits: { iterations: 3, contextTokens: 8_000 } });
});

test("the orchestrator of plans has no file, and is set like any other agent; without a setting it is not among them", () => {
  const { agents, problems } = applyAgentSettings(AGENTS, {
    ...DEFAULT_SETTINGS,
    agents: { orchestrator: { model: "ollama/large", temperature: 0.5 } },
  });
  expect(problems).toEqual([]);
  expect(agents.get("orchestrator")).toEqual({ ...ORCHESTRATOR, model: "ollama/large", temperature: 0.5 });
  expect([...applyAgentSettings(AGENTS, DEFAULT_SETTINGS).agents.keys()]).toEqual(["qa-step"]);
});
