/** What a run is at, as a glyph and a word of one colour; the same words as in the terminal. */
import type { RunState } from "@retinue/client";
import type { ReactNode } from "react";

export type StatusName =
  | "unseen"
  | "requested"
  | "running"
  | "waiting"
  | "finishing"
  | "completed"
  | "partial"
  | "failed"
  | "timeout"
  | "cancelled";

export const toStatus = (state: RunState): StatusName => {
  switch (state.type) {
    case "settled":
      return state.status;
    case "waiting":
      return state.on === "approval" ? "waiting" : "running";
    case "unseen":
    case "requested":
    case "running":
    case "finishing":
      return state.type;
  }
};

export const toStatusWord = (state: RunState): string => {
  switch (state.type) {
    case "settled":
      return state.status;
    case "waiting":
      return state.on === "approval" ? "waits for you" : "waits for a sub-agent";
    case "unseen":
      return "not seen yet";
    case "requested":
      return "queued";
    case "running":
      return "running";
    case "finishing":
      return "finishing";
  }
};

const stroke = {
  fill: "none",
  stroke: "currentColor",
  strokeWidth: 1.8,
  strokeLinecap: "round",
  strokeLinejoin: "round",
} as const;

const DRAWN: Readonly<Record<StatusName, ReactNode>> = {
  unseen: <circle cx="7" cy="7" r="4.5" {...stroke} strokeDasharray="2 2.6" />,
  requested: <circle cx="7" cy="7" r="4.5" {...stroke} strokeDasharray="2 2.6" />,
  running: <circle className="pulse" cx="7" cy="7" r="4.5" fill="currentColor" />,
  finishing: (
    <>
      <circle cx="7" cy="7" r="5" {...stroke} />
      <circle cx="7" cy="7" r="2.4" fill="currentColor" />
    </>
  ),
  waiting: (
    <>
      <path d="M7 1.8v6.4" {...stroke} strokeWidth={2.4} />
      <circle cx="7" cy="12" r="1.5" fill="currentColor" />
    </>
  ),
  completed: <path d="m2.2 7.600 3.200 3.200 6.400-7.200" {...stroke} strokeWidth={2} />,
  partial: (
    <>
      <circle cx="7" cy="7" r="5" {...stroke} />
      <path d="M7 2a5 5 0 0 1 0 10Z" fill="currentColor" />
    </>
  ),
  failed: <path d="m3 3 8 8m0-8-8 8" {...stroke} strokeWidth={2} />,
  timeout: (
    <>
      <circle cx="7" cy="7" r="5.200" {...stroke} />
      <path d="M7 4v3.200l2.200 1.400" {...stroke} />
    </>
  ),
  cancelled: (
    <>
      <circle cx="7" cy="7" r="5" {...stroke} />
      <path d="m3.600 10.400 6.800-6.800" {...stroke} />
    </>
  ),
};

export const Glyph = ({ status }: { readonly status: StatusName }) => (
  <span className="glyph" data-status={status} aria-hidden="true">
    <svg viewBox="0 0 14 14">{DRAWN[status]}</svg>
  </span>
);

export const StatusBadge = ({ state }: { readonly state: RunState }) => {
  const status = toStatus(state);
  return (
    <span className="badge" data-status={status}>
      <Glyph status={status} />
      {toStatusWord(state)}
    </span>
  );
};
