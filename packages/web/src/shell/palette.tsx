/** Everything by name: screens, sessions, agents' acts. Opened with Ctrl-K. */
import { useMemo, useState } from "react";
import { useLocation } from "../parts/router.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useLists } from "../server/lists.ts";
import { useTheme } from "./theme.ts";

type Entry = { readonly label: string; readonly note: string; readonly act: () => void };

const matches = (label: string, typed: string): boolean => typed.split(/\s+/).every((word) => label.toLowerCase().includes(word));

export const Palette = ({
  onClose,
  onInbox,
  onHelp,
}: {
  readonly onClose: () => void;
  readonly onInbox: () => void;
  readonly onHelp: () => void;
}) => {
  const [, navigate] = useLocation();
  const { sessions, approvals } = useLists();
  const [theme, setTheme] = useTheme();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const entries: readonly Entry[] = useMemo(
    () => [
      { label: "New session", note: "screen", act: () => navigate("/") },
      ...(approvals.length === 0 ? [] : [{ label: `Inbox: ${approvals.length} waiting`, note: "a", act: onInbox }]),
      ...["Plans", "Tests", "Agents", "Stats", "Settings"].map((name) => ({
        label: name,
        note: "screen",
        act: () => navigate(`/${name.toLowerCase()}`),
      })),
      {
        label: `Theme: ${theme === "dark" ? "light" : "dark"}`,
        note: "look",
        act: () => setTheme(theme === "dark" ? "light" : "dark"),
      },
      { label: "Keys", note: "?", act: onHelp },
      ...sessions.slice(0, 200).map(({ sessionId, title }) => ({
        label: title === "" ? sessionId : title,
        note: "session",
        act: () => navigate(`/sessions/${sessionId}`),
      })),
    ],
    [sessions, approvals, theme, navigate, onInbox, onHelp, setTheme],
  );
  const shown = entries.filter(({ label }) => matches(label, typed.trim().toLowerCase())).slice(0, 40);
  const choose = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.act();
  };
  return (
    <Dialog title="Commands" className="palette" isBare onClose={onClose}>
      <input
        className="field"
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${at}`}
        aria-label="Type the name of a screen, a session or a command"
        placeholder="Go to, or do …"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") choose(shown[at]);
          else if (event.key === "ArrowDown") setAt(Math.min(shown.length - 1, at + 1));
          else if (event.key === "ArrowUp") setAt(Math.max(0, at - 1));
          else return;
          event.preventDefault();
        }}
      />
      <ul id="palette-list" role="listbox" aria-label="Commands">
        {shown.map((entry, index) => (
          <li
            key={`${entry.label}/${index}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onPointerMove={() => setAt(index)}
            onClick={() => choose(entry)}
          >
            <span className="grow clip">{entry.label}</span>
            <span className="quiet small">{entry.note}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
};
