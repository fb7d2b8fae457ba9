import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { EventOf, RecordedEvent, RecordedType } from "@retinue/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Evidence, examine } from "./examine.ts";
import { FINDING_KINDS, type FindingKind } from "./finding.ts";
import { readRecord } from "./read-record.ts";
import { SCENARIOS } from "./scenarios.ts";
import { databaseIn } from "./trial-record.ts";
import type { PairedPart } from "./victim-line.ts";
import { runVictim } from "./victim-process.ts";

let place = "";
let folder = "";
let sound: Evidence;

beforeAll(async () => {
  place = mkdtempSync(path.join(tmpdir(), "retinue-examine-"));
  folder = mkdtempSync(path.join(place, "run-"));
  const { lines } = await runVictim({ order: { folder, scenario: "three-children" }, cache: path.join(place, "cache") });
  const final = readRecord(databaseIn(folder));
  sound = { scenario: SCENARIOS["three-children"], folder, said: [lines], crashes: [], final };
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

const first = <T extends RecordedType>(
  type: T,
  where: (event: EventOf<T>) => boolean = () => true,
): EventOf<T> & RecordedEvent => {
  const event = sound.final.events.find(
    (one): one is EventOf<T> & RecordedEvent => one.type === type && where(one as EventOf<T>),
  );
  if (!event) throw new Error(`There is no ${type}.`);
  return event;
};

const withEvents = (events: readonly RecordedEvent[]): Evidence => ({ ...sound, final: { ...sound.final, events } });

const without = (event: RecordedEvent): Evidence => withEvents(sound.final.events.filter((one) => one !== event));

const changed = (event: RecordedEvent, change: object): Evidence =>
  withEvents(sound.final.events.map((one) => (one === event ? { ...one, ...change } : one)));

const added = (event: RecordedEvent, change: object = {}): Evidence =>
  withEvents([...sound.final.events, { ...event, seq: sound.final.events.length + 1, ...change }]);

const asking = (parts: readonly PairedPart[]): Evidence => ({
  ...sound,
  said: [...sound.said, [{ type: "requested", agent: "lead", answered: 0, parts, told: 0 }]],
});

const isPut = ({ tool }: { readonly tool: string }): boolean => tool === "put";

/** For each kind of finding, what gives rise to it. */
const PLANTED: { readonly [Kind in FindingKind]?: readonly (() => Evidence)[] } = {
  lost: [() => changed(first("model.answered"), { activeMs: -1 }), () => withEvents(sound.final.events.slice(0, -1))],
  unpaired: [
    () => without(first("tool.settled")),
    () => added(first("tool.settled")),
    () => asking([{ type: "call", callId: "c" }]),
    () => asking([{ type: "result", callId: "c" }]),
    () => asking([{ type: "call", callId: "c" }, { type: "other" }, { type: "result", callId: "c" }]),
  ],
  "asked-again": [
    () => {
      const { agent, seq } = first("model.answered", ({ depth }) => depth === 1);
      const crashed = { faults: [], events: sound.final.events.slice(0, seq) };
      return { ...sound, crashes: [crashed], said: [[], [{ type: "requested", agent, answered: 0, parts: [], told: 0 }]] };
    },
  ],
  "failed-resume": [
    () => without(first("run.settled")),
    () => added(first("run.settled")),
    () => {
      const settled = first("run.settled", ({ depth }) => depth === 0);
      return changed(settled, { result: { ...settled.result, status: "failed" } });
    },
  ],
  "wrong-unknown": [
    () => changed(first("tool.settled", isPut), { outcome: "unknown" }),
    () => {
      const started = first("tool.started", isPut);
      return { ...sound, crashes: [{ faults: [], events: sound.final.events.slice(0, started.seq) }] };
    },
  ],
  "broken-chain": [() => ({ ...sound, final: { ...sound.final, faults: ["the chain is broken"] } })],
  "wrong-limits": [
    () => {
      const settled = first("run.settled");
      return changed(settled, { result: { ...settled.result, toolCalls: 99 } });
    },
  ],
  "child-twice": [
    () =>
      added(
        first("run.requested", ({ depth }) => depth === 1),
        { runId: "run_again" },
      ),
    () => added(first("run.started", ({ depth }) => depth === 1)),
  ],
  "wrong-approval": [
    () => added(first("approval.requested")),
    () => added(first("approval.answered")),
    () => without(first("approval.answered")),
    () => ({ ...sound, said: [[{ type: "parked", approvalId: "apr_another", hash: "" }]] }),
    () => {
      const { approvalId } = first("approval.requested", ({ agent }) => agent === "gamma");
      return { ...sound, said: [[{ type: "parked", approvalId, hash: "of another act" }]] };
    },
    () => {
      const asked = first("approval.requested");
      const other = { ...asked, approvalId: "apr_other" } as const;
      return { ...sound, crashes: [{ faults: [], events: [...sound.final.events.slice(0, asked.seq - 1), other] }] };
    },
    () => {
      const asked = first("approval.requested", ({ agent }) => agent === "gamma");
      return { ...sound, said: [[], []], crashes: [{ faults: [], events: sound.final.events.slice(0, asked.seq) }] };
    },
  ],
};

/** What gives rise to a finding in the file of effects. */
const PLANTED_EFFECTS = {
  twice: "lead-put\nalpha-put\nalpha-act\nbeta-put\ngamma-put\nbeta-put\n",
  "wrong-effect": "lead-put\nalpha-put\nalpha-act\ngamma-put\n",
} as const;

describe("an examination", () => {
  test("finds nothing in a run that nothing disturbed", () => {
    expect(examine(sound)).toEqual({ findings: [], unknown: 0 });
  });

  test.each(Object.keys(PLANTED) as FindingKind[])("finds what is planted: %s", (kind) => {
    for (const plant of PLANTED[kind] ?? []) expect(examine(plant()).findings.map((finding) => finding.kind)).toContain(kind);
  });

  test.each(Object.keys(PLANTED_EFFECTS) as (keyof typeof PLANTED_EFFECTS)[])("finds what is planted: %s", (kind) => {
    const copy = mkdtempSync(path.join(place, "effects-"));
    writeFileSync(path.join(copy, "effects.log"), PLANTED_EFFECTS[kind]);
    expect(examine({ ...sound, folder: copy }).findings.map((finding) => finding.kind)).toContain(kind);
  });

  test("finds an effect that no record announced", () => {
    const copy = mkdtempSync(path.join(place, "effects-"));
    appendFileSync(path.join(copy, "effects.log"), `${[...SCENARIOS["three-children"].expected.effects, "other"].join("\n")}\n`);
    expect(examine({ ...sound, folder: copy }).findings).toEqual([
      { kind: "wrong-effect", what: "other was made, and no record announced it" },
    ]);
  });

  test("has a plant for every kind of finding but those of inputs, merges and processes", () => {
    const planted = [...Object.keys(PLANTED), ...Object.keys(PLANTED_EFFECTS)];
    expect(FINDING_KINDS.filter((kind) => !planted.includes(kind))).toEqual(["wrong-input", "wrong-merge", "unclear-stop"]);
  });
});
