/** What an agent of another world may use, in the fields of our own front matter. */
import type { Rule } from "@retinue/protocol";

export type Rights = {
  readonly tools: readonly string[];
  readonly deniedTools: readonly string[];
  /** Absent: wherever whoever starts it may write. */
  readonly writes?: readonly string[];
  readonly hosts?: readonly string[];
  /** What of the calls of these tools is allowed, asked about or denied; the last that matches decides. */
  readonly rules?: readonly Rule[];
  readonly delegates: readonly string[];
  /** Given where what it starts may not have more than it has itself. */
  readonly grant?: "own";
};

/**
 * The rights as fields. In other worlds what an agent starts has tools of its own, so that it may hand on what it was handed; and agents are
 * started by one tool for all of them.
 */
export const toRightsFields = ({ tools, deniedTools, writes, hosts, rules, delegates, grant }: Rights) => ({
  tools: [...tools],
  deniedTools: [...deniedTools],
  delegates: [...delegates],
  expose: "delegate" as const,
  grant: grant ?? (delegates.some((pattern) => !pattern.startsWith("!")) ? ("session" as const) : ("own" as const)),
  ...(writes === undefined ? {} : { writes: [...writes] }),
  ...(hosts === undefined ? {} : { hosts: [...hosts] }),
  ...(rules === undefined || rules.length === 0 ? {} : { rules: rules.map((rule) => ({ ...rule, tools: [...rule.tools] })) }),
});
