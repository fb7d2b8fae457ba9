/** The left column: the sessions with what they are at, found by any word that was said in them, and the ways to the other screens. */
import { toPrintable } from "@retinue/client/text";
import { useEffect, useRef, useState } from "react";
import { Link } from "../parts/router.tsx";
import { ago, money } from "../parts/amounts.ts";
import { useNow } from "../parts/clock.ts";
import { Icon, type IconName } from "../parts/icons.tsx";
import { Glyph, type StatusName } from "../parts/status.tsx";
import { addSessions, type SessionItem, useLists } from "../server/lists.ts";
import { call } from "../server/call.ts";
import { useCall } from "../server/use-call.ts";
import { useWorkspaces } from "../server/workspaces.ts";
import { useCommands } from "./commands.ts";
import { groupSessions } from "./group-sessions.ts";

const statusOf = (item: SessionItem): StatusName => {
  if (item.openApprovals > 0) return "waiting";
  if (item.status === "pending" || item.status === "running") return item.driver === null ? "partial" : "running";
  return item.status;
};

const WORDS: Partial<Record<StatusName, string>> = { partial: "interrupted", running: "running", waiting: "waits for you" };

const SessionLine = ({
  item,
  isCurrent,
  onChoose,
}: {
  readonly item: SessionItem;
  readonly isCurrent: boolean;
  readonly onChoose: () => void;
}) => {
  const now = useNow();
  const status = statusOf(item);
  return (
    <li>
      <Link
        href={`/sessions/${item.sessionId}`}
        className="session-line"
        aria-current={isCurrent ? "page" : undefined}
        onClick={onChoose}
      >
        <Glyph status={status} />
        <span className="session-lines">
          <span className="clip title">{item.title === "" ? "(without a task)" : toPrintable(item.title, "line")}</span>
          {item.snippet === undefined || item.snippet === "" ? (
            <span className="clip quiet small">
              {status === "waiting" ? (
                <strong className="waiting-count">{item.openApprovals} waiting</strong>
              ) : (
                (WORDS[status] ?? status)
              )}{" "}
              · {ago(item.updatedAt, now)}
              {item.costUsd > 0 ? ` · ${money(item.costUsd)}` : ""}
            </span>
          ) : (
            <span className="clip quiet small">{item.snippet}</span>
          )}
        </span>
      </Link>
    </li>
  );
};

const PLACES: readonly { readonly href: string; readonly label: string; readonly icon: IconName; readonly keys: string }[] = [
  { href: "/plans", label: "Plans", icon: "plans", keys: "g p" },
  { href: "/tests", label: "Tests", icon: "tests", keys: "g t" },
  { href: "/agents", label: "Agents", icon: "agents", keys: "g a" },
  { href: "/stats", label: "Stats", icon: "stats", keys: "" },
  { href: "/settings", label: "Settings", icon: "settings", keys: "" },
];

const useDebounced = (text: string): string => {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 180);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
};

type Props = {
  readonly path: string;
  readonly onInbox: () => void;
  readonly onChoose: () => void;
  readonly onPalette: () => void;
};

export const Sidebar = ({ path, onInbox, onChoose, onPalette }: Props) => {
  const { sessions, approvals, connection } = useLists();
  const waiting = approvals.length;
  const { all, current, choose } = useWorkspaces();
  const [text, setText] = useState("");
  const searched = useDebounced(text.trim());
  const found = useCall("listSessions", searched === "" ? null : { query: { search: searched, limit: 50 } });
  const [next, setNext] = useState<string | null | undefined>(undefined);
  const search = useRef<HTMLInputElement>(null);
  useCommands({ "/": () => search.current?.focus() });
  const shown = searched === "" ? sessions : (found.value?.items ?? []);
  const groups = groupSessions(shown, current?.folder);
  const more = async (): Promise<void> => {
    const page = await call("listSessions", {
      query: { limit: 100, order: "updated", ...(next == null ? {} : { after: next }) },
    });
    addSessions(page.items);
    setNext(page.next);
  };
  return (
    <nav className="sidebar" aria-label="Sessions and screens">
      <div className="brand">
        <img src="/icon.svg" alt="" width="22" height="22" />
        <Link href="/" className="brand-name" onClick={onChoose}>
          Retinue
        </Link>
        <span className="grow" />
        {connection === "lost" ? (
          <span className="badge" data-status="timeout" role="status">
            offline
          </span>
        ) : null}
        <button
          type="button"
          className="button plain small"
          title="Commands (Ctrl-K)"
          aria-label="Ctrl K: commands"
          onClick={onPalette}
        >
          <kbd>Ctrl K</kbd>
        </button>
      </div>
      {all.length > 1 ? (
        <select
          className="field"
          aria-label="Workspace"
          value={current?.workspaceId}
          onChange={({ target }) => choose(target.value)}
        >
          {all.map(({ workspaceId, name, folder }) => (
            <option key={workspaceId} value={workspaceId} title={folder}>
              {name}
            </option>
          ))}
        </select>
      ) : null}
      <Link href="/" className="button solid" onClick={onChoose}>
        <Icon name="plus" size={14} /> New session
      </Link>
      {waiting === 0 ? null : (
        <button type="button" className="inbox-line" data-status="waiting" onClick={onInbox}>
          <Glyph status="waiting" />
          <span className="grow">{waiting} waiting for you</span>
          <kbd>a</kbd>
        </button>
      )}
      <div className="search">
        <Icon name="search" size={14} />
        <input
          ref={search}
          type="search"
          className="field"
          placeholder="Search sessions"
          aria-label="Search sessions"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      <div className="session-list">
        {groups.map(({ folder, name, sessions: of }) => (
          <section key={folder} aria-label={groups.length > 1 ? `Folder ${name}` : undefined}>
            {groups.length > 1 ? (
              <h2 className="session-group clip" title={folder}>
                {name}
              </h2>
            ) : null}
            <ul
              className="session-lines-list"
              aria-label={searched === "" ? "Sessions" : `Sessions in which “${searched}” was said`}
            >
              {of.map((item) => (
                <SessionLine
                  key={item.sessionId}
                  item={item}
                  isCurrent={path.startsWith(`/sessions/${item.sessionId}`)}
                  onChoose={onChoose}
                />
              ))}
            </ul>
          </section>
        ))}
        {shown.length === 0 && !found.isLoading ? (
          <p className="quiet small none">{searched === "" ? "No session yet." : `Nothing was said with “${searched}”.`}</p>
        ) : null}
        {searched === "" && sessions.length >= 50 && next !== null ? (
          <button type="button" className="button plain small" onClick={() => void more()}>
            Older sessions
          </button>
        ) : null}
      </div>
      <ul className="places">
        {PLACES.map(({ href, label, icon, keys }) => (
          <li key={href}>
            <Link
              href={href}
              aria-current={path.startsWith(href) ? "page" : undefined}
              title={keys === "" ? label : `${label} (${keys})`}
              onClick={onChoose}
            >
              <Icon name={icon} /> <span>{label}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
};
