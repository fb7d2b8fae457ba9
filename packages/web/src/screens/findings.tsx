/** What the doctor found, line by line; while it looks, that it does. */
import type { RouteOutput } from "@retinue/protocol/routes";
import { Glyph } from "../parts/status.tsx";
import { toFindings } from "./doctor-findings.ts";

type Props = { readonly report: RouteOutput<"getDoctor"> | null; readonly className?: string };

export const Findings = ({ report, className = "" }: Props) =>
  report === null ? (
    <p className="quiet">Looking …</p>
  ) : (
    <ul className={`findings ${className}`}>
      {toFindings(report).map(({ label, value, isGood }) => (
        <li key={label}>
          <Glyph status={isGood ? "completed" : "cancelled"} />
          <span>
            <strong>{label}</strong> <span className="quiet">{value}</span>
            <span className="hidden-label">{isGood ? " (found)" : " (not found)"}</span>
          </span>
        </li>
      ))}
    </ul>
  );
