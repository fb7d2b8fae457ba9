/** The cursor of a replay: any event of the record, by slider, key or playing it. */
import { Icon } from "../parts/icons.tsx";
import type { Replay } from "../session/use-replay.ts";

export const ReplayBar = ({ replay, onLeave }: { readonly replay: Replay; readonly onLeave: () => void }) => {
  const { events, seq, isPlaying, goTo, play } = replay;
  const at = events[seq - 1];
  return (
    <div className="replay" role="group" aria-label="Replay">
      <button
        type="button"
        className="button small square"
        aria-label={isPlaying ? "Pause" : "Play"}
        onClick={() => play(!isPlaying)}
      >
        <Icon name={isPlaying ? "pause" : "play"} size={12} />
      </button>
      <input
        type="range"
        min={1}
        max={Math.max(1, events.length)}
        value={seq}
        aria-label="Event"
        aria-valuetext={at === undefined ? "" : `event ${seq} of ${events.length}: ${at.agent} ${at.type}`}
        onChange={({ target }) => goTo(Number(target.value))}
      />
      <span className="replay-at clip">
        {seq} of {events.length} · {at === undefined ? "" : `${at.agent} ${at.type}`}
      </span>
      <button type="button" className="button plain small" onClick={onLeave}>
        Leave the replay
      </button>
    </div>
  );
};
