/** The page's few line icons, drawn on one grid. They stand beside a name or in a button that has one. */
const PATHS = {
  chevron: "m6 4 4 4-4 4",
  plus: "M8 3v10M3 8h10",
  stop: "M4 4h8v8H4z",
  message: "M2.500 3.500h11v7.500h-6l-3 2.500v-2.500h-2z",
  fork: "M4.500 2v12M4.500 9.500c4 0 7-1 7-5V2",
  search: "M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9Zm3.300 7.800 3.200 3.200",
  close: "m4 4 8 8m0-8-8 8",
  copy: "M5.500 5.500h7v7h-7zM3.500 10.500v-7h7",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM8 1.500v1M8 13.500v1M1.500 8h1M13.500 8h1M3.400 3.400l.7.7M11.900 11.900l.7.7M3.400 12.600l.7-.7M11.900 4.100l.7-.7",
  menu: "M2.500 4.500h11M2.500 8h11M2.500 11.500h11",
  bell: "M3.500 11.500h9c-1-1-1.200-2-1.200-4.200a3.300 3.300 0 0 0-6.600 0c0 2.200-.2 3.200-1.200 4.200ZM6.800 13.500h2.400",
  image: "M2.500 3.500h11v9h-11zM2.500 11l3-3 2.500 2.500 2-2 3.500 3.500M10.500 6.200h.1",
  send: "M8 13V3M3.500 7.500 8 3l4.500 4.500",
  sessions: "M2.500 3.500h11v9h-11zM2.500 6.500h11",
  plans: "M3 3.500h4v3H3zM9 9.500h4v3H9zM5 6.500v4.500h4",
  tests: "M6 2.500v4L2.500 13.500h11L10 6.500v-4M5 2.500h6",
  agents: "M8 2.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5ZM3 13.500c.5-3 2.500-4.300 5-4.300s4.500 1.300 5 4.300",
  stats: "M3 13V8M8 13V3M13 13v-3",
  settings: "M2.500 5h7M12.500 5h1M2.500 11h1M6.500 11h7M11 3.500v3M5 9.500v3",
  more: "M3.500 8h.1M8 8h.1M12.500 8h.1",
  play: "M4.500 3v10l8-5z",
  pause: "M5 3v10M11 3v10",
  down: "M8 3v10M3.500 8.500 8 13l4.500-4.500",
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    className="icon"
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth={name === "more" ? 2.2 : 1.4}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
);
