/** Charts small enough to stand beside each other: bars by name, and columns by day. The table beneath them has every figure. */
import type { CSSProperties } from "react";

export type Bar = { readonly key: string; readonly value: number };

type Props = { readonly title: string; readonly format: (value: number) => string; readonly max?: number };

const MOST_BARS = 8;

const part = (value: number, max: number): CSSProperties =>
  ({ "--part": `${max === 0 ? 0 : (value / max) * 100}%` }) as CSSProperties;

export const BarChart = ({ title, bars, format, max }: Props & { readonly bars: readonly Bar[] }) => {
  const shown = bars.slice(0, MOST_BARS);
  const most = max ?? Math.max(0, ...shown.map(({ value }) => value));
  return (
    <figure className="chart panel">
      <figcaption>{title}</figcaption>
      {shown.length === 0 ? <p className="quiet small">Nothing yet.</p> : null}
      <ul className="bars">
        {shown.map(({ key, value }) => (
          <li key={key} title={`${key}: ${format(value)}`}>
            <span className="clip">{key}</span>
            <span className="track">
              <span style={part(value, most)} />
            </span>
            <span className="value">{format(value)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
};

export const DayChart = ({ title, days, format, max }: Props & { readonly days: readonly Bar[] }) => {
  const most = max ?? Math.max(0, ...days.map(({ value }) => value));
  const last = days.at(-1);
  return (
    <figure className="chart panel">
      <figcaption>
        {title} <strong>{last === undefined ? "" : format(last.value)}</strong>
      </figcaption>
      <div
        className="day-columns"
        role="img"
        aria-label={`${title}: ${days.map(({ key, value }) => `${key} ${format(value)}`).join(", ")}`}
      >
        {days.map(({ key, value }) => (
          <span key={key} title={`${key}: ${format(value)}`} style={part(value, most)} />
        ))}
      </div>
      <div className="line quiet small">
        <span className="grow">{days[0]?.key}</span>
        <span>{days.length > 1 ? last?.key : ""}</span>
      </div>
    </figure>
  );
};
