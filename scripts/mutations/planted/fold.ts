/** Planted in the fold: what has become of a run, by its record alone. */
import type { Mutation } from "../mutation.ts";

const file = "packages/runtime/src/record/fold.ts";
const loop = ["packages/runtime/src/loop/loop.test.ts", "packages/runtime/src/record/resume.test.ts"];
const limits = ["packages/runtime/src/limits/limits.test.ts", ...loop];
const engine = ["packages/engine/src/repeats.test.ts", "packages/engine/src/delegation.test.ts"];

export const FOLD: readonly Mutation[] = [
  {
    name: "fold/the-hand-in-counts-as-a-turn",
    file,
    before: "    state.handedIn = true;\n    return;\n  }\n  state.used.iterations += 1;",
    after: "    state.handedIn = true;\n    state.used.iterations += 1;\n    return;\n  }\n  state.used.iterations += 1;",
    tests: limits,
  },
  {
    name: "fold/calls-that-never-started-are-counted",
    file,
    before: "if (turn.started.has(event.callId)) state.used.toolCalls += 1;",
    after: "state.used.toolCalls += 1;",
    tests: limits,
  },
  {
    name: "fold/the-turn-ends-one-call-too-early",
    file,
    before: "if (turn.settled.size < turn.calls.size) return;",
    after: "if (turn.settled.size < turn.calls.size - 1) return;",
    tests: loop,
  },
  {
    name: "fold/results-in-the-order-in-which-they-came",
    file,
    before: "  for (const one of turn.calls.values()) {\n    const settled = turn.settled.get(one.callId);\n    if (!settled) continue;",
    after:
      "  for (const settled of turn.settled.values()) {\n    const one = turn.calls.get(settled.callId);\n    if (!one) continue;",
    tests: loop,
  },
  {
    name: "fold/an-error-looks-like-a-success",
    file,
    before: 'isError: event.outcome !== "ok",',
    after: 'isError: event.outcome === "error",',
    tests: [...loop, "packages/runtime/src/loop/results.test.ts", ...engine],
  },
  {
    name: "fold/a-message-is-delivered-twice",
    file,
    before: "    state.inbox = state.inbox.filter((one) => one !== message);\n",
    after: "",
    tests: [...engine, "packages/engine/src/embedded-engine.test.ts"],
  },
  {
    name: "fold/a-message-does-not-reopen-an-answered-run",
    file,
    before: "  state.answered = false;\n  state.delegations = NO_DELEGATIONS;",
    after: "  state.delegations = NO_DELEGATIONS;",
    tests: ["packages/engine/src/background.test.ts", ...engine],
  },
  {
    name: "fold/an-answer-for-once-holds-for-ever",
    file,
    before: 'if (event.allowed && event.scope !== "once")',
    after: "if (event.allowed)",
    tests: ["packages/engine/src/consent.test.ts", ...engine],
  },
  {
    name: "fold/a-refusal-holds-as-a-consent",
    file,
    before: 'if (event.allowed && event.scope !== "once")',
    after: 'if (event.scope !== "once")',
    tests: ["packages/engine/src/consent.test.ts", ...engine],
  },
  {
    name: "fold/an-answer-of-another-question",
    file,
    before: "    if (approvalId !== event.approvalId) continue;\n",
    after: "",
    tests: ["packages/engine/src/consent.test.ts", ...engine],
  },
  {
    name: "fold/an-answered-question-stays-open",
    file,
    before: '    ownMap(state, "pendingApprovals").delete(callId);\n    ownMap',
    after: "    ownMap",
    tests: ["packages/engine/src/consent.test.ts", ...engine, "packages/engine/src/equal-after-cut.test.ts"],
  },
  {
    name: "fold/time-before-the-park-is-forgotten",
    file,
    before: "      state.parked = event.on;\n      state.used.activeMs = Math.max(state.used.activeMs, event.activeMs);",
    after: "      state.parked = event.on;",
    tests: ["packages/engine/src/waiting-clocks.test.ts", "packages/engine/src/embedded-engine.test.ts", "packages/engine/src/equal-after-cut.test.ts"],
  },
  {
    name: "fold/a-run-that-goes-on-stays-parked",
    file,
    before: "      state.parked = null;\n",
    after: "",
    tests: ["packages/engine/src/embedded-engine-contract.test.ts", "packages/runtime/src/loop/run-loop.test.ts"],
  },
  {
    name: "fold/a-finish-is-a-cancel",
    file,
    before: "if (event.finish === true) state.finishRequested ??= asked;\n      else state.cancelRequested ??= asked;",
    after: "state.cancelRequested ??= asked;",
    tests: ["packages/engine/src/embedded-engine.test.ts", "packages/engine/src/embedded-engine-contract.test.ts", ...engine],
  },
  {
    name: "fold/the-summary-cuts-one-too-few",
    file,
    before: "state.messages.splice(from, to - from, userMessage(text));",
    after: "state.messages.splice(from, to - from - 1, userMessage(text));",
    tests: ["packages/runtime/src/context/context.test.ts"],
  },
  {
    name: "fold/the-summary-is-free",
    file,
    before: "    spend(state, usage, costUsd);\n  }\n  state.contextTokens",
    after: "  }\n  state.contextTokens",
    tests: ["packages/runtime/src/context/context.test.ts", ...limits],
  },
  {
    name: "fold/the-task-moves-when-it-is-summed-up",
    file,
    before: "if (from < state.taskIndex) state.taskIndex -= to - from - 1;",
    after: "",
    tests: ["packages/runtime/src/context/context.test.ts"],
  },
  {
    name: "fold/a-file-is-created-and-modified",
    file,
    before: "if (!state.filesCreated.has(path)) ownSet",
    after: "ownSet",
    tests: ["packages/runtime/src/loop/results.test.ts", ...loop],
  },
  {
    name: "fold/a-call-without-a-price-is-free",
    file,
    before: "if (costUsd === null) state.used.unpriced = true;",
    after: "if (costUsd === null) return;",
    tests: [...limits, "packages/engine/src/bill.test.ts"],
  },
  {
    name: "fold/a-third-empty-answer",
    file,
    before: "++state.emptyAnswers < 2",
    after: "++state.emptyAnswers <= 2",
    tests: loop,
  },
  {
    name: "fold/a-third-result",
    file,
    before: "if (++state.rejections > 1)",
    after: "if (++state.rejections > 2)",
    tests: ["packages/runtime/src/loop/results.test.ts", ...loop],
  },
  {
    name: "fold/the-repetition-guard-looks-back-too-short",
    file,
    before: "const RECENT_CALLS = 6;",
    after: "const RECENT_CALLS = 5;",
    tests: loop,
  },
  {
    name: "fold/a-next-turn-begins-inside-an-open-one",
    file,
    before: "  state.turn ? state.messages.slice(0, -1) : state.messages;",
    after: "  state.messages;",
    tests: ["packages/runtime/src/record/resume.test.ts", "packages/engine/src/next-turn.test.ts", ...engine],
  },
  {
    name: "fold/the-fallback-is-forgotten",
    file,
    before: "} else state.modelIndex = [state.spec.model, ...state.spec.fallbacks].indexOf(event.next);",
    after: "}",
    tests: [...loop, "packages/runtime/src/loop/outage.test.ts"],
  },
];
