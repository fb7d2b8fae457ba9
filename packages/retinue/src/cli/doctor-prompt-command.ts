/** `retinue doctor --prompt`: what the first request of a session costs here, and of what. No model is asked. */
import { toJsonLine } from "../terminal/json-line.ts";
import { toPrintable } from "../terminal/printable.ts";
import type { DoctorOptions } from "./doctor-command.ts";
import { EXIT } from "./exit-code.ts";
import { measureFirstRequest } from "./first-request.ts";
import { loadSessionSettings } from "./session-options.ts";
import type { Surroundings } from "./surroundings.ts";
import { formatTable } from "./table.ts";

export const doctorPromptCommand = async ({ json, ...options }: DoctorOptions, surroundings: Surroundings): Promise<number> => {
  const { stdout, redact, env } = surroundings;
  const { settings, workspace } = await loadSessionSettings(options, surroundings);
  const cost = await measureFirstRequest({ workspace, settings, env });
  if (json === true) {
    await stdout.write(`${toJsonLine(cost, redact)}\n`);
    return EXIT.done;
  }
  const ofTools = cost.tools.reduce((sum, { tokens }) => sum + tokens, 0);
  const rows: readonly (readonly [string, number])[] = [
    ["system prompt", cost.prompt],
    ["instructions", cost.instructions],
    ["agents", cost.agents],
    ["messages", cost.messages],
    [`tools (${cost.tools.length})`, ofTools],
    ...cost.tools.map(({ name, tokens }) => [`  ${name}`, tokens] as const),
  ];
  const lines = [
    `The first request with "hello" is about ${cost.total} tokens (bytes of it, four to a token).`,
    ...formatTable(
      [{ title: "part" }, { title: "tokens", align: "right" }],
      rows.map(([part, tokens]) => [part, String(tokens)]),
    ),
  ];
  for (const line of lines) await stdout.write(`${toPrintable(redact(line), "line")}\n`);
  return EXIT.done;
};
