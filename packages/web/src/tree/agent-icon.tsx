/**
 * The sign of an agent. Those that the built-in agents have are drawn as lines, so that they look alike on every machine; another one is shown
 * as it is, or as the first letter of the name where this browser has no such sign.
 */
import { useScene } from "../session/session-context.ts";

const LINES: Readonly<Record<string, string>> = {
  "🤖": "M3.500 6h9v7h-9zM8 6V3.200M6 9.200h.1M10 9.200h.1M6.200 11.300h3.600M1.800 8.500v2M14.200 8.500v2",
  "🔎": "M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9Zm3.300 7.800 3.200 3.200",
  "🧐": "M6.500 2.500a4 4 0 1 0 0 8 4 4 0 0 0 0-8Zm3 6.800 4 4.200M5 6.300l1.200 1.200 2-2.200",
  "🔧": "M13 4.200a3.200 3.200 0 0 1-4.300 4L4.500 12.500a1.300 1.300 0 0 1-1.900-1.900L6.900 6.400a3.200 3.200 0 0 1 4-4.300L9 4.100l.4 2 2 .4Z",
  "👨‍💻": "m5.500 4.500-3.500 3.500 3.500 3.500M10.500 4.500l3.500 3.500-3.500 3.500M9 3.500l-2 9",
  "💬": "M2.500 3.500h11v7.500h-6l-3 2.500v-2.500h-2z",
  "📋": "M4 3.500h8v10H4zM6 2.500h4v2H6zM6 7.500h4M6 10h4",
  "🗂️": "M2.500 4.500h4l1.200 1.500h5.800v6.500h-11zM4.500 4.500v-1.500h4l1 1.500h2.500V6",
  "🎬": "M2.500 6.500h11v6.500h-11zM2.500 6.500l10-3.200.8 2.600M5.500 5.500l1.800 1M9 4.400l1.800 1",
  "🖱️": "M4.500 3v9.500l2.600-2.300 1.700 3.500 1.700-.8-1.700-3.400H12z",
  "📚": "M3 3h3v10H3zM6 3h3v10H6zM9.600 3.700l2.600-.7 2 9.300-2.700.7z",
  "👀": "M1.800 8c1.600-2.700 3.700-4 6.200-4s4.600 1.300 6.200 4c-1.600 2.700-3.700 4-6.200 4s-4.600-1.300-6.200-4ZM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4Z",
  "📝": "M4 2.500h5.500l3 3v8h-8.500zM9 2.500v3.300h3.500M6 8.500h4.500M6 11h3",
  "🧪": "M6.200 2.500v4.200l-3.400 6c-.3.500 0 .8.500.8h9.400c.5 0 .8-.3.5-.8l-3.400-6V2.500M5.200 2.500h5.600M4.900 9.500h6.200",
  "🧭": "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Zm2.600 3.400-1.500 3.700-3.700 1.500 1.500-3.700Z",
};

let hasEmoji: boolean | undefined;

/** Whether this browser draws emoji in colour; one without them shows empty boxes. */
const drawsEmoji = (): boolean => {
  if (hasEmoji !== undefined) return hasEmoji;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 16;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  if (pen === null) return (hasEmoji = false);
  pen.font = "14px sans-serif";
  pen.fillText("🔴", 0, 13);
  const { data } = pen.getImageData(0, 0, 16, 16);
  return (hasEmoji = data.some((value, at) => at % 4 === 0 && value > 100 && (data[at + 2] ?? 255) < value - 60));
};

const Sign = ({ icon, agent }: { readonly icon: string; readonly agent: string }) => {
  const lines = LINES[icon];
  if (lines !== undefined)
    return (
      <svg
        width="16"
        height="16"
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.3"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        <path d={lines} />
      </svg>
    );
  return icon === "" || !drawsEmoji() ? (agent[0] ?? "?").toUpperCase() : icon;
};

export const AgentTile = ({ icon, agent }: { readonly icon: string; readonly agent: string }) => (
  <span className="agent-icon" aria-hidden="true">
    <Sign icon={icon} agent={agent} />
  </span>
);

export const AgentIcon = ({ agent }: { readonly agent: string }) => <AgentTile icon={useScene().iconOf(agent)} agent={agent} />;
