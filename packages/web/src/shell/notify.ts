/** Reaches whoever is away: the count in the title of the tab, and, on request, a notification of the desktop for each new question. */
import type { RunId, SessionId } from "@retinue/protocol";
import { useEffect, useRef, useState } from "react";
import { describeWish } from "../approvals/question.ts";
import type { ApprovalItem } from "../server/lists.ts";

const KEY = "retinue-notify";

export const isNotifying = (): boolean =>
  localStorage.getItem(KEY) === "on" && "Notification" in window && Notification.permission === "granted";

export const useNotifying = (): readonly [boolean, (isOn: boolean) => Promise<void>] => {
  const [isOn, setOn] = useState(isNotifying);
  return [
    isOn,
    async (next) => {
      const isAllowed = next && "Notification" in window && (await Notification.requestPermission()) === "granted";
      localStorage.setItem(KEY, isAllowed ? "on" : "off");
      setOn(isAllowed);
    },
  ];
};

type Reached = { readonly sessionId: SessionId; readonly runId: RunId };

type Notice = Reached & { readonly key: string; readonly title: string; readonly body: string };

const toNotices = (approvals: readonly ApprovalItem[]): readonly Notice[] =>
  approvals.map(({ approvalId, sessionId, runId, path, act }) => ({
    key: approvalId,
    sessionId,
    runId,
    title: `${path.join(" › ")} ${act.question === undefined ? "waits for" : "asks"} you`,
    body: act.question?.text ?? describeWish(act),
  }));

export const useWaitingNotice = (approvals: readonly ApprovalItem[], open: (reached: Reached) => void): void => {
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    const notices = toNotices(approvals);
    document.title = notices.length === 0 ? "Retinue" : `(${notices.length}) Retinue`;
    const before = known.current;
    known.current = new Set(notices.map(({ key }) => key));
    if (before === null || document.hasFocus() || !isNotifying()) return;
    for (const { key, title, body, ...reached } of notices.filter((one) => !before.has(one.key))) {
      const notice = new Notification(title, { body, tag: key });
      notice.addEventListener("click", () => {
        window.focus();
        open(reached);
      });
    }
  }, [approvals, open]);
};
