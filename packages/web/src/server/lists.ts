/** What changes in the lists of all sessions: the sessions written to last and the questions that wait. One socket for the whole page. */
import type { ApprovalItem, SessionItem } from "@retinue/client";
import type { SessionId } from "@retinue/protocol";
import { useSyncExternalStore } from "react";
import type { Connection } from "../session/live-session.ts";
import { client } from "./call.ts";
import { toConnection } from "./follow-session.ts";

export type { ApprovalItem, SessionItem };

export type Lists = {
  /** The one that was written to last comes first. */
  readonly sessions: readonly SessionItem[];
  /** The oldest comes first. */
  readonly approvals: readonly ApprovalItem[];
  /** What agents ask, the oldest first. */
  readonly connection: Connection;
  /** The first frame has come. */
  readonly isRead: boolean;
};

let lists: Lists = { sessions: [], approvals: [], connection: "connecting", isRead: false };
const listeners = new Set<() => void>();
let close: (() => void) | undefined;

const set = (next: Partial<Lists>): void => {
  lists = { ...lists, ...next };
  for (const listener of listeners) listener();
};

const byUpdate = (a: SessionItem, b: SessionItem): number => (a.updatedAt < b.updatedAt ? 1 : -1);
const byAge = (a: ApprovalItem, b: ApprovalItem): number => (a.requestedAt < b.requestedAt ? -1 : 1);

/** What of two lists is in either, by the newer of the two. */
export const addSessions = (items: readonly SessionItem[]): void => {
  const known = new Map(lists.sessions.map((item) => [item.sessionId, item]));
  for (const item of items) known.set(item.sessionId, item);
  set({ sessions: [...known.values()].toSorted(byUpdate) });
};

export const dropSession = (sessionId: SessionId): void =>
  set({ sessions: lists.sessions.filter((item) => item.sessionId !== sessionId) });

const follow = (): (() => void) => {
  let wasOpen = false;
  return client.followAll({
    onSessions: (sessions) => set({ sessions: sessions.toSorted(byUpdate), isRead: true }),
    onSession: (session) => addSessions([session]),
    onDeleted: dropSession,
    onApprovals: (approvals) => set({ approvals: approvals.toSorted(byAge) }),
    onState: (state) => {
      wasOpen ||= state === "open";
      set({ connection: toConnection(state, wasOpen) });
    },
  }).close;
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  close ??= follow();
  return () => listeners.delete(listener);
};

export const useLists = (): Lists => useSyncExternalStore(subscribe, () => lists);

/** A question that was answered here is gone at once; the server tells the others. */
export const dropApproval = (approvalId: string): void =>
  set({ approvals: lists.approvals.filter((item) => item.approvalId !== approvalId) });
