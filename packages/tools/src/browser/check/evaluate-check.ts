/**
 * Tells whether a check holds on the page of a session, without a model, and what was seen: the text, the count, the lines of the snapshot, the place. It waits
 * for what may still come, within the check's own time. What cannot be seen is unknown, never held.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { CheckResult, PageCheck } from "@retinue/protocol/test-case";
import { describeCheck } from "@retinue/protocol/test-case";
import type { BrowserSession } from "../browser-session.ts";
import { lookAtElements } from "./look-at-elements.ts";
import { lookAtTraffic } from "./look-at-traffic.ts";
import type { Seen } from "./seen.ts";

const WITHIN_MS = 5_000;
const LOOK_MS = 100;

export const evaluateCheck = async (session: BrowserSession, check: PageCheck, signal?: AbortSignal): Promise<CheckResult> => {
  const expected = describeCheck(check);
  if (!session.currentPage || session.currentPage.url() === "about:blank")
    return { status: "unknown", expected, observed: "no page is open", scoped: false };
  const until = performance.now() + (check.withinMs ?? WITHIN_MS);
  for (;;) {
    const seen = await look(session, check);
    if (seen.status === "held" || performance.now() >= until || signal?.aborted === true || isFinal(check)) {
      const { status, observed, scoped, evidence } = seen;
      return {
        status,
        expected,
        observed: session.mask(observed).slice(0, 1000),
        scoped,
        ...(evidence === undefined || evidence === "" ? {} : { evidence: session.mask(evidence).slice(0, 1500) }),
      };
    }
    await sleep(LOOK_MS);
  }
};

/** Errors do not go away by waiting. */
const isFinal = ({ check }: PageCheck): boolean => check === "console";

const look = async (session: BrowserSession, check: PageCheck): Promise<Seen> => {
  try {
    switch (check.check) {
      case "download":
      case "request":
      case "console":
        return await lookAtTraffic(session, check);
      case "text":
      case "value":
      case "count":
      case "visible":
      case "absent":
      case "state":
      case "url":
      case "title":
        return await lookAtElements(session, check);
      default:
        return check satisfies never;
    }
  } catch (thrown) {
    const why = thrown instanceof Error ? (thrown.message.split("\n")[0] ?? "") : String(thrown);
    return { status: "unknown", observed: `it could not be looked at: ${why}`, scoped: false };
  }
};
