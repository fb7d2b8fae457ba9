/** The head of a session: its title, what it has cost, its views, and what can be done to it. */
import { toPrintable } from "@retinue/client/text";
import { useEffect, useRef, useState } from "react";
import { count, money } from "../parts/amounts.ts";
import { Icon } from "../parts/icons.tsx";
import type { SessionItem } from "../server/lists.ts";
import { useScene, useSessionVersion } from "../session/session-context.ts";
import { spentWithin } from "../session/time-range.ts";

export const TABS = [
  { name: "conversation", label: "Conversation" },
  { name: "timeline", label: "Timeline" },
  { name: "plan", label: "Plan" },
  { name: "messages", label: "Messages" },
  { name: "files", label: "Files" },
] as const;

export type SessionTab = (typeof TABS)[number]["name"];

type Props = {
  readonly item: SessionItem | undefined;
  readonly tab: SessionTab;
  readonly onTab: (tab: SessionTab) => void;
  readonly isAtWork: boolean;
  readonly isCutOff: boolean;
  readonly isReplaying: boolean;
  readonly onStop: () => void;
  readonly onResume: () => void;
  readonly onFork: () => void;
  readonly onReplay: () => void;
  readonly onDelete: () => void;
};

const Menu = ({ item, isReplaying, onFork, onReplay, onDelete }: Props) => {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    const leave = (event: Event): void => {
      if (event instanceof KeyboardEvent ? event.key === "Escape" : !box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", leave);
    document.addEventListener("keydown", leave);
    return () => {
      document.removeEventListener("pointerdown", leave);
      document.removeEventListener("keydown", leave);
    };
  }, [isOpen]);
  const choose = (act: () => void) => (): void => {
    setOpen(false);
    act();
  };
  return (
    <div className="menu-box" ref={box}>
      <button
        type="button"
        className="button plain square"
        aria-label="More about this session"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" />
      </button>
      {isOpen ? (
        <div className="menu" role="menu">
          <button type="button" role="menuitem" onClick={choose(onFork)}>
            Fork …<small>goes on in a session of its own</small>
          </button>
          <button type="button" role="menuitem" onClick={choose(onReplay)}>
            {isReplaying ? "Leave the replay" : "Replay"}
            <small>the record once more, with a time slider</small>
          </button>
          {item === undefined ? null : (
            <a
              role="menuitem"
              href={`/api/sessions/${item.sessionId}/export`}
              download={`${item.sessionId}.json`}
              onClick={() => setOpen(false)}
            >
              Export<small>events, rows and artifacts as JSON</small>
            </a>
          )}
          <button type="button" role="menuitem" onClick={choose(onDelete)}>
            Delete …<small>for good</small>
          </button>
        </div>
      ) : null}
    </div>
  );
};

export const SessionHead = (props: Props) => {
  const { item, tab, onTab, isAtWork, isCutOff, isReplaying, onStop, onResume } = props;
  const { session, range } = useScene();
  useSessionVersion(session);
  const { spent: all, runs } = session.view;
  const spent =
    range === null
      ? { tokens: all.usage.input + all.usage.output, costUsd: all.costUsd, isUnpriced: all.unpricedCalls > 0 }
      : spentWithin(runs.values(), range);
  const driver = item?.driver;
  const title = item === undefined ? "Session" : toPrintable(item.title, "line");
  return (
    <header className="session-head">
      <div className="line">
        <h1 className="clip grow" title={title}>
          {title}
        </h1>
        {session.connection() === "lost" ? (
          <span className="badge" data-status="timeout" role="status">
            connection lost, trying again
          </span>
        ) : null}
        {driver != null && !driver.isSelf ? (
          <span className="badge driver" title={`Driven by process ${driver.pid} on ${driver.host}`}>
            runs in another process
          </span>
        ) : null}
        <span
          className="head-cost quiet"
          title={
            range === null
              ? "Tokens and cost of the whole session"
              : "Tokens and cost of the model's answers in the selected time"
          }
        >
          {session.isCaughtUp()
            ? `${count(spent.tokens)} tok · ${money(spent.costUsd)}${spent.isUnpriced ? "+" : ""}`
            : "reading …"}
        </span>
        {isCutOff ? (
          <button type="button" className="button small solid" onClick={onResume}>
            <Icon name="play" size={12} /> Resume
          </button>
        ) : isAtWork && !isReplaying ? (
          <button type="button" className="button small" onClick={onStop}>
            <Icon name="stop" size={12} /> Stop all
          </button>
        ) : null}
        <Menu {...props} />
      </div>
      <div className="tabs" role="tablist" aria-label="Views of this session">
        {TABS.map(({ name, label }) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={tab === name}
            aria-controls="session-view"
            onClick={() => onTab(name)}
          >
            {label}
          </button>
        ))}
      </div>
    </header>
  );
};
