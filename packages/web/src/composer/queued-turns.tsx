/** What was said for after the turn: it waits on the server, in order, and can be taken back or sent at once until its turn begins. */
import type { SessionId, TurnId } from "@retinue/protocol";
import { type ErrorValue, toErrorValue } from "@retinue/protocol";
import { useEffect, useState } from "react";
import { call } from "../server/call.ts";
import { useCall } from "../server/use-call.ts";
import { ErrorNote } from "../tree/tool-card.tsx";

type Props = {
  readonly sessionId: SessionId;
  /** Read again when it changes: a turn has begun or ended, or something was queued. */
  readonly version: string;
  readonly isAtWork: boolean;
  /** Gives the words back to whoever takes them back. */
  readonly onTakenBack: (text: string) => void;
};

export const QueuedTurns = ({ sessionId, version, isAtWork, onTakenBack }: Props) => {
  const { value, again } = useCall("listQueuedTurns", { params: { sessionId } });
  const [error, setError] = useState<ErrorValue | null>(null);
  useEffect(again, [version, again]);
  const turns = value?.turns ?? [];
  const drop = async (turnId: TurnId): Promise<void> => {
    await call("dropQueuedTurn", { params: { sessionId, turnId } });
    again();
  };
  const attempt = (work: Promise<unknown>): void => {
    setError(null);
    work.catch((thrown: unknown) => {
      setError(toErrorValue(thrown));
      again();
    });
  };
  if (turns.length === 0) return null;
  return (
    <section className="queued" aria-label="Waiting for the end of this turn">
      {error === null ? null : <ErrorNote error={error} />}
      <ol className="queued-turns">
        {turns.map(({ turnId, text }, at) => (
          <li key={`${turnId} ${at}`}>
            <span className="grow">
              <span className="clip">{text}</span>
              <span className="quiet small">
                {isAtWork ? "waiting: said when this turn has ended" : "waiting: the turn was stopped"}
              </span>
            </span>
            {isAtWork ? null : (
              <button
                type="button"
                className="button small"
                onClick={() => attempt(drop(turnId).then(() => call("startTurn", { params: { sessionId }, body: { text } })))}
              >
                Send now
              </button>
            )}
            <button type="button" className="button small" onClick={() => attempt(drop(turnId).then(() => onTakenBack(text)))}>
              Take back
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
};
