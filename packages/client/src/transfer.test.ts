/** A conversation that a run hands over: the view tells who has it, live, from a snapshot, and when it comes back. */
import { expect, test } from "vitest";
import type { RecordedEvent } from "@retinue/protocol";
import { ROUTES } from "@retinue/protocol/routes";
import { hasConversation } from "./apply-transfer.ts";
import { createSessionView } from "./create-session-view.ts";
import { createEventSource } from "./testing/index.ts";
import { toViewSnapshot } from "./snapshot/to-snapshot.ts";

const HANDED = { input: { agent: "billing", task: "Explain the bill.", transfer: true } };

const open = () => {
  const source = createEventSource();
  const store = createSessionView("ses_a");
  const main = source.run("run_1");
  const billing = source.run("run_2", main.identity, "billing");
  const view = store.view;
  const hear = (...events: readonly RecordedEvent[]): void => events.forEach(store.apply);
  const holder = () => {
    const root = view.runs.get("run_1");
    return (
      root && [
        root.transferredTo,
        ...[...view.runs.values()].filter((run) => hasConversation(run, view.runs)).map(({ runId }) => runId),
      ]
    );
  };
  hear(main.requested(), main.started(), main.asked(1), main.answered(1, "I hand you over.", { c1: "delegate_to_agent" }));
  return { source, main, billing, view, hear, holder };
};

test("a run that hands the conversation over tells to whom, from when the other begins until it has answered", () => {
  const { main, billing, hear, holder, view } = open();
  hear(main.toolStarted("c1", "delegate_to_agent", HANDED));
  expect(holder()).toEqual([null, "run_1"]);
  hear(billing.requested({ parentCallId: "c1" }));
  const begun = { callId: "c1", runId: "run_2", agent: "billing", at: view.runs.get("run_2")?.requestedAt, hasAnswered: false };
  expect(holder()).toEqual([begun, "run_2"]);
  const transferred = { runId: "run_2", agent: "billing", text: "You bought quinces." } as const;
  hear(billing.started(), billing.settled(), main.toolSettled("c1", "delegate_to_agent", { transferred }));
  expect(holder()).toEqual([{ ...begun, hasAnswered: true }, "run_2"]);
});

test("a conversation that is handed on is with the last who has it", () => {
  const { source, main, billing, hear, holder } = open();
  const lawyer = source.run("run_3", billing.identity, "lawyer");
  hear(main.toolStarted("c1", "delegate_to_agent", HANDED), billing.requested({ parentCallId: "c1" }), billing.started());
  hear(billing.toolStarted("b1", "delegate_to_agent", HANDED), lawyer.requested({ parentCallId: "b1" }));
  expect(holder()?.[1]).toBe("run_3");
});

test("the conversation comes back where the other fails, and where the run is asked again", () => {
  const failed = open();
  failed.hear(failed.main.toolStarted("c1", "delegate_to_agent", HANDED), failed.billing.requested({ parentCallId: "c1" }));
  failed.hear(failed.main.toolSettled("c1", "delegate_to_agent", { outcome: "error" }));
  expect(failed.holder()).toEqual([null, "run_1"]);

  const again = open();
  again.hear(again.main.toolStarted("c1", "delegate_to_agent", HANDED), again.billing.requested({ parentCallId: "c1" }));
  const transferred = { runId: "run_2", agent: "billing", text: "You bought quinces." } as const;
  again.hear(again.main.toolSettled("c1", "delegate_to_agent", { transferred }), again.main.asked(2));
  expect(again.holder()).toEqual([null, "run_1"]);
});

test("a plain delegation hands nothing over", () => {
  const { main, billing, hear, holder } = open();
  hear(main.toolStarted("c1", "delegate_to_agent", { input: { agent: "billing", task: "x" } }));
  hear(billing.requested({ parentCallId: "c1" }));
  expect(holder()).toEqual([null, "run_1"]);
});

test("a snapshot tells of it, also of a run that is known by its head alone", () => {
  const { main, billing, hear, view } = open();
  hear(main.toolStarted("c1", "delegate_to_agent", HANDED), billing.requested({ parentCallId: "c1" }));
  const snapshot = { ...toViewSnapshot(view), parts: [] };
  expect(ROUTES.getView.response.parse(JSON.parse(JSON.stringify(snapshot)))).toMatchObject({ seq: view.lastSeq });
  const page = createSessionView("ses_a", { snapshot });
  expect(page.view.runs.get("run_1")?.transferredTo).toEqual(view.runs.get("run_1")?.transferredTo);
});
