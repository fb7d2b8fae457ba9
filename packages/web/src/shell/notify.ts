/** Reaches whoever is away: the count in the title of the tab, and, on request, a notification of the desktop for each new question. */
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

export const useWaitingNotice = (approvals: readonly ApprovalItem[], open: (approval: ApprovalItem) => void): void => {
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    const count = approvals.length;
    document.title = count === 0 ? "Retinue" : `(${count}) Retinue`;
    const before = known.current;
    known.current = new Set(approvals.map(({ approvalId }) => approvalId));
    if (before === null || document.hasFocus() || !isNotifying()) return;
    for (const approval of approvals.filter(({ approvalId }) => !before.has(approvalId))) {
      const notice = new Notification(`${approval.path.join(" › ")} waits for you`, {
        body: describeWish(approval.act),
        tag: approval.approvalId,
      });
      notice.addEventListener("click", () => {
        window.focus();
        open(approval);
      });
    }
  }, [approvals, open]);
};
