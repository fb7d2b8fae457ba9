/** What the offline model says of itself, and how it quotes. */

export const BANNER = "[offline model: rule-based, no LLM — it can search and quote, not reason]";

export const toAnswer = (...paragraphs: readonly string[]): string =>
  [BANNER, ...paragraphs.filter((paragraph) => paragraph !== "")].join("\n\n");

/** Another answer of this model, without saying again what it is. */
export const withoutBanner = (text: string): string => text.replaceAll(BANNER, "").trim();

export const CONNECT = [
  "To connect a model takes 30 seconds; do one of these and ask again:",
  "- a key: `export ANTHROPIC_API_KEY=…` (or OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY, DEEPSEEK_API_KEY)",
  "- a local server: start Ollama, LM Studio, llama.cpp, vLLM or Docker Model Runner; it is found by itself",
  "- another server, in retinue.yaml: `model: local/NAME` and",
  '  `providers: { local: { type: openai-compatible, baseUrl: "http://127.0.0.1:8080/v1" } }`',
  "`retinue doctor` shows what is found; `retinue init` writes retinue.yaml.",
].join("\n");

/** Long enough to recognise, short enough for a list. */
export const clip = (text: string, most = 140): string => {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length <= most
    ? line
    : `${line
        .slice(0, most - 1)
        .toWellFormed()
        .trimEnd()}…`;
};

/** Quoted lines with their numbers, in a fence that nothing inside can close. */
export const quote = (path: string, lines: readonly { readonly number: number; readonly text: string }[]): string => {
  const first = lines[0];
  const last = lines.at(-1);
  if (!first || !last) return "";
  const width = String(last.number).length;
  const rows = lines.map(({ number, text }) => `${String(number).padStart(width)}  ${text}`.trimEnd());
  const longest = Math.max(2, ...rows.flatMap((row) => (row.match(/`+/g) ?? []).map((ticks) => ticks.length)));
  const fence = "`".repeat(longest + 1);
  return [`${path}:${first.number}${last.number > first.number ? `-${last.number}` : ""}`, fence, ...rows, fence].join("\n");
};

export const count = (number: number, noun: string, plural = `${noun}s`): string => `${number} ${number === 1 ? noun : plural}`;

/** `"a", "b" and "c"`. */
export const listTexts = (texts: readonly string[]): string => {
  const quoted = texts.map((text) => `"${text}"`);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
};
