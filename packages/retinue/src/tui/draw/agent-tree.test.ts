import { createSessionView } from "@retinue/client";
import { createEventSource } from "@retinue/client/testing";
import type { RunId } from "@retinue/protocol";
import { expect, test } from "vitest";
import { rowText, rowWidth } from "../screen/row.ts";
import { drawTree } from "./agent-tree.ts";
import { nameRuns } from "./run-names.ts";

const START = Date.UTC(2026, 0, 1);

/** Many children: most are done, one waits, one failed, two run. */
const crowd = (done: number) => {
  const source = createEventSource();
  const main = source.run("run_main", undefined, "main");
  const store = createSessionView(source.sessionId);
  const apply = (...events: readonly Parameters<typeof store.apply>[0][]): void => events.forEach((event) => store.apply(event));
  const child = (name: string) => source.run(`run_${name}`, main.identity, "worker");
  apply(
    main.requested(),
    main.started(),
    main.asked(1),
    main.answered(1, "", { d: "delegate_to_agent" }),
    main.toolStarted("d", "delegate_to_agent"),
  );
  for (let index = 0; index < done; index += 1) {
    const one = child(`done${index}`);
    apply(one.requested({ parentCallId: "d" }), one.started(), one.settled({ summary: `result ${index}` }));
  }
  const [failed, waits, runs] = [child("failed"), child("waits"), child("runs")];
  apply(
    failed.requested({ parentCallId: "d" }),
    failed.started(),
    failed.settled({ status: "failed", error: { code: "tool_failed", message: "it broke" } }),
  );
  apply(waits.requested({ parentCallId: "d" }), waits.started(), waits.asked(1), waits.answered(1, "", { w: "write" }));
  const act = { callId: "w", tool: "write", effect: "write", input: { path: "a.ts" }, paths: ["/a.ts"], hosts: [] } as const;
  apply(waits.say({ type: "approval.requested", approvalId: "apr_1", hash: "h", act }));
  apply(runs.requested({ parentCallId: "d" }), runs.started(), runs.asked(1));
  return store.view;
};

const draw = (
  done: number,
  mostRows: number,
  more: { readonly width?: number; readonly now?: number; readonly folds?: ReadonlyMap<RunId, boolean> } = {},
) => {
  const { roots } = crowd(done);
  const { width = 79, now = START + 120_000, folds = new Map() } = more;
  return drawTree({ roots, names: nameRuns(roots), now, width, mostRows, folds, lastEventAt: () => START + 100_000 });
};

test("what does not fit is counted, and what waits, failed or runs is shown first", () => {
  const rows = draw(7, 6).rows.map(rowText);
  expect(rows.join("\n")).toMatch(/! worker #9 +wants to write a\.ts +waits 1:\d\d/);
  expect(rows.join("\n")).toMatch(/✗ worker #8 +failed {2}it broke/);
  expect(rows.join("\n")).toMatch(/● worker #10 +asks the model/);
  expect(rows.at(-1)).toContain("+7 done");
  expect(rows).toHaveLength(5);
});

test("the rest opens", () => {
  const rows = draw(7, 6, { folds: new Map([["run_main", false]]) }).rows.map(rowText);
  expect(rows).toHaveLength(6);
  expect(rows.at(-1)).toMatch(/\+\d+ more/);
  expect(rows.join("\n")).toContain("! worker #9");
});

test("a run that tells nothing for long says so, and what it waits for", () => {
  const text = draw(0, 10, { now: START + 100_000 + 250_000 })
    .rows.map(rowText)
    .join("\n");
  expect(text).toMatch(/worker #3 +quiet 4:10 \(model\)/);
  expect(text).toMatch(/main +quiet 4:10 \(child\)/);
  expect(text).not.toMatch(/worker #2.*quiet/);
});

test.each([40, 56, 79, 120])("in %i columns no row is too wide and every row tells its status", (width) => {
  const { rows } = draw(3, 20, { width });
  for (const one of rows) expect(rowWidth(one)).toBeLessThanOrEqual(width);
  for (const one of rows.slice(1)) expect(rowText(one)).toMatch(/[✓✗!●]/);
});
