/** What is left of a limit, as a bar of three parts: used, reserved by runs below that are at work, left. */
import type { CSSProperties } from "react";

export type Budget = { readonly used: number; readonly reserved: number; readonly max: number };

const share = (value: number, max: number): CSSProperties =>
  ({ "--part": `${Math.min(100, (value / max) * 100)}%` }) as CSSProperties;

type Props = { readonly budget: Budget; readonly label: string; readonly isWide?: boolean };

export const BudgetBar = ({ budget: { used, reserved, max }, label, isWide = false }: Props) => (
  <span
    className={`bar${isWide ? " wide" : ""}${used / max > 0.85 ? " near" : ""}`}
    role="meter"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={max}
    aria-valuenow={Math.min(used, max)}
    title={label}
  >
    <span className="used" style={share(used, max)} />
    <span className="reserved" style={share(Math.min(reserved, Math.max(0, max - used)), max)} />
  </span>
);
