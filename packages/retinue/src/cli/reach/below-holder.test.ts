import { hostname } from "node:os";
import type { SessionId } from "@retinue/protocol";
import type { Holder, ReadSide, SessionRow } from "@retinue/store";
import { describe, expect, test } from "vitest";
import { refuseAgents } from "./refuse-agents.ts";

/** One session at work in a process of this number. */
const readSide = (holder: Pick<Holder, "host" | "pid">): ReadSide =>
  ({
    listSessions: ({ status }: { readonly status: string }) => ({
      items: status === "running" ? [{ sessionId: "ses_1" } as unknown as SessionRow] : [],
      next: null,
    }),
    holders: (ids: readonly SessionId[]) => new Map(ids.map((id) => [id, { since: "", isSelf: false, ...holder }])),
  }) as unknown as ReadSide;

const below = { env: {}, ancestors: [42, 7].map((pid) => ({ pid, isMarked: false })) };

test("a process below one that drives a run answers nothing, however it was started", async () => {
  await expect(refuseAgents(readSide({ host: hostname(), pid: 7 }), below)).rejects.toMatchObject({ code: "answer_refused" });
});

test("a process of that number on another machine, or one that is not above, is no reason to refuse", async () => {
  await refuseAgents(readSide({ host: "elsewhere", pid: 7 }), below);
  await refuseAgents(readSide({ host: hostname(), pid: 8 }), below);
});

describe("a process that forked twice with an empty environment, so that nothing stands above it", () => {
  const orphan = (own: string, driving: string) => ({
    env: {},
    ancestors: [],
    isOrphan: true,
    cgroupOf: (pid: number | "self") => (pid === "self" ? own : driving),
  });
  const here = readSide({ host: hostname(), pid: 7 });

  test.each([
    ["the group of the process that drives a run", "/user/7", "/user/7"],
    ["one that was made below it", "/user/7/capped", "/user/7"],
    ["the only group there is", "/", "/"],
  ])("answers nothing from %s", async (_where, own, driving) => {
    await expect(refuseAgents(here, orphan(own, driving))).rejects.toMatchObject({ code: "answer_refused" });
  });

  test("answers from elsewhere, as a service of the system does", async () => {
    await refuseAgents(here, orphan("/system/answerer.service", "/user/7"));
    await refuseAgents(readSide({ host: "elsewhere", pid: 7 }), orphan("/", "/"));
  });
});
