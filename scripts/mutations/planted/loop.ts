/** Planted in the loop and in what settles the calls of a turn: what is recorded before it is done, and what is done only once. */
import type { Mutation } from "../mutation.ts";

const loop = "packages/runtime/src/loop/loop.ts";
const turn = "packages/runtime/src/loop/settle-turn.ts";
const call = "packages/runtime/src/loop/call.ts";
const runCall = "packages/runtime/src/loop/run-call.ts";
const askModel = "packages/runtime/src/loop/ask-model.ts";
const recorder = "packages/runtime/src/record/recorder.ts";
const LOOP_TESTS = [
  "packages/runtime/src/loop/left-behind.test.ts",
  "packages/runtime/src/loop/record-then-act.test.ts",
  "packages/runtime/src/record/recorder.test.ts",
  "packages/runtime/src/loop/loop.test.ts",
  "packages/runtime/src/loop/run-loop.test.ts",
  "packages/runtime/src/loop/abort.test.ts",
  "packages/runtime/src/loop/results.test.ts",
  "packages/runtime/src/record/resume.test.ts",
  "packages/runtime/src/record/interrupted-call.test.ts",
];
const LIMIT_TESTS = ["packages/runtime/src/limits/limits.test.ts", "packages/engine/src/caps.test.ts", ...LOOP_TESTS];
const ENGINE_TESTS = [
  "packages/engine/src/embedded-engine.test.ts",
  "packages/engine/src/delegation.test.ts",
  "packages/engine/src/background.test.ts",
  "packages/engine/src/embedded-engine-contract.test.ts",
];

export const LOOP: readonly Mutation[] = [
  {
    name: "loop/acts-before-it-is-recorded",
    file: turn,
    before: "  if (runnable.every(hasNoEffect)) run.flushMeanwhile();\n  else {",
    after: "  run.flushMeanwhile();\n  if (runnable.length === 0) {",
    tests: LOOP_TESTS,
  },
  {
    name: "loop/asks-the-model-before-it-is-recorded",
    file: askModel,
    before: "  const recording = asker.flush();\n  if (recording) await recording;\n",
    after: "",
    tests: LOOP_TESTS,
  },
  {
    name: "loop/settles-before-it-is-recorded",
    file: loop,
    before: '  run.note({ type: "run.settled", result });\n  await run.flush();',
    after: '  run.note({ type: "run.settled", result });\n  void run.flush();',
    tests: LOOP_TESTS,
  },
  {
    name: "loop/parks-before-it-is-recorded",
    file: loop,
    before: "activeMs: watch.activeMs() });\n      await run.flush();",
    after: "activeMs: watch.activeMs() });",
    tests: [...LOOP_TESTS, ...ENGINE_TESTS],
  },
  {
    name: "loop/flush-forgets-what-is-under-way",
    file: recorder,
    before: "earlier && own ? Promise.all([earlier, own]).then(() => undefined) : (earlier ?? own)",
    after: "own",
    tests: LOOP_TESTS,
  },
  {
    name: "loop/records-twice",
    file: recorder,
    before: "    const drafts = noted;\n    noted = [];",
    after: "    const drafts = noted;",
    tests: LOOP_TESTS,
  },
  {
    name: "loop/a-lost-call-is-made-again",
    file: turn,
    before: "started.get(callId)?.repeatable === false;",
    after: "started.get(callId)?.repeatable === true && false;",
    tests: LOOP_TESTS,
  },
  {
    name: "loop/what-may-be-repeated-is-lost",
    file: turn,
    before: "started.get(callId)?.repeatable === false;",
    after: "started.has(callId);",
    tests: [...LOOP_TESTS, ...ENGINE_TESTS],
  },
  {
    name: "loop/a-lost-call-is-not-spent",
    file: turn,
    before: "  if (lost > 0) reserve(run.purse, {}).settle({ toolCalls: lost });\n",
    after: "",
    tests: [...LIMIT_TESTS, "packages/engine/src/equal-after-cut.test.ts"],
  },
  {
    name: "loop/a-settled-call-is-made-again",
    file: turn,
    before: "    if (turn.settled.has(call.callId)) continue;\n",
    after: "",
    tests: LOOP_TESTS,
  },
  {
    name: "loop/writes-side-by-side",
    file: turn,
    before: 'prepared.type === "answer" || prepared.tool.effect === "read"',
    after: "true",
    tests: LOOP_TESTS,
  },
  {
    name: "loop/a-write-before-the-reads-that-stand-before-it",
    file: turn,
    before: "for (const calls of [group, [prepared]])",
    after: "for (const calls of [[prepared], group])",
    tests: LOOP_TESTS,
  },
  {
    name: "loop/one-tool-call-too-many",
    file: turn,
    before: "lost + runnable.length < allowed.left",
    after: "lost + runnable.length <= allowed.left",
    tests: LIMIT_TESTS,
  },
  {
    name: "loop/runs-what-was-cancelled",
    file: turn,
    before: "    else if (run.cancelled.aborted) settle(run, prepared.call, CANCELLED);\n",
    after: "",
    tests: LOOP_TESTS,
  },
  {
    name: "loop/three-twins",
    file: turn,
    before: "return count > MOST_TWINS;",
    after: "return count > MOST_TWINS + 1;",
    tests: LOOP_TESTS,
  },
  {
    name: "loop/a-reserved-call-is-never-given-back",
    file: turn,
    before: 'reservations[0]?.settle(ran.type === "ran" ? ONE_CALL : NO_CALL)',
    after: "reservations[0]?.settle(ONE_CALL)",
    tests: [...LIMIT_TESTS, "packages/engine/src/consent.test.ts"],
  },
  {
    name: "loop/a-failed-turn-keeps-its-reservation",
    file: askModel,
    before: "    if (!answer) reservation.settle({});\n",
    after: "",
    tests: LIMIT_TESTS,
  },
  {
    name: "loop/a-refused-act-is-done",
    file: runCall,
    before: "      settle(run, call, asked.answer);\n      return REFUSED;",
    after: "      settle(run, call, asked.answer);",
    tests: ["packages/engine/src/consent.test.ts", ...LOOP_TESTS],
  },
  {
    name: "loop/an-allowed-act-is-done-before-its-start-is-recorded",
    file: runCall,
    before: "    start(run, prepared);\n    await run.flush();",
    after: "    start(run, prepared);\n    run.flushMeanwhile();",
    tests: ["packages/engine/src/consent.test.ts", ...LOOP_TESTS],
  },
  {
    name: "loop/a-tool-that-does-not-stop-is-waited-for",
    file: call,
    before: "      this.onLeftBehind?.();\n",
    after: "",
    tests: LOOP_TESTS,
  },
  {
    name: "loop/the-timer-of-a-call-goes-on",
    file: call,
    before: "    cancelTimer?.();\n    forget();",
    after: "    forget();",
    tests: LOOP_TESTS,
  },
  {
    name: "loop/a-call-that-was-left-behind-had-no-effect",
    file: call,
    before: 'leftBehind && !tool.repeatable ? "unknown" : otherwise',
    after: 'leftBehind && tool.repeatable ? "unknown" : otherwise',
    tests: LOOP_TESTS,
  },
  {
    name: "loop/completes-while-the-background-works",
    file: loop,
    before: "    if (on.length === 0) break;\n    await run.flush();",
    after: "    break;\n    await run.flush();",
    tests: ENGINE_TESTS,
  },
  {
    name: "loop/a-message-at-the-end-is-lost",
    file: loop,
    before: "  if (!stopped.aborted && state.inbox.length > 0) return null;\n  throwIfLeft",
    after: "  throwIfLeft",
    tests: ENGINE_TESTS,
  },
  {
    name: "loop/a-run-that-is-left-open-is-cancelled",
    file: loop,
    before: "if (signal.aborted && signal.reason instanceof LeftOpen) throw signal.reason;",
    after: "if (signal.aborted && signal.reason instanceof LeftOpen) return;",
    tests: [...LOOP_TESTS, ...ENGINE_TESTS],
  },
  {
    name: "loop/the-deadline-outlives-the-run",
    file: loop,
    before: "    takeBackDeadline?.();\n",
    after: "",
    tests: LIMIT_TESTS,
  },
  {
    name: "loop/nobody-stops-what-is-below",
    file: loop,
    before: "    await run.flush();\n    await stopping;",
    after: "    await run.flush();",
    tests: ENGINE_TESTS,
  },
];
