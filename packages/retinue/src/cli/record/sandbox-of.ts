/** What kept the command of a tool call to its rights, as the record has it: by name and version, `none`, or nothing where none was run. */
import type { MessageRow } from "@retinue/store";

export const sandboxOf = ({ request_type: type, metadata_json: json }: MessageRow): string | undefined => {
  if (type !== "tool_call" || json === null) return undefined;
  // Written by the projection alone.
  const { sandbox } = JSON.parse(json) as { readonly sandbox?: string };
  return sandbox;
};

/** Of several rows each once, in one line for people; nothing where no command was run. */
export const formatSandboxes = (rows: readonly MessageRow[]): readonly string[] => {
  const used = [...new Set(rows.flatMap((row) => sandboxOf(row) ?? []))];
  return used.length === 0 ? [] : [`commands were run in this sandbox: ${used.join(", ")}`];
};
