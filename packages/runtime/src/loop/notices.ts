/** What an agent is told with the answer of a call: that it made the same call before, and that a limit comes next. Both stand in the record with the answer. */
import type { ToolCallPart, UserPart } from "@retinue/protocol";
import { leftIn } from "../limits/purse.ts";
import { NOTICE, signature } from "../record/fold.ts";
import type { OpenTurn } from "../record/run-state.ts";
import type { Answered } from "./answered.ts";
import type { LiveRun } from "./live-run.ts";

export const withNotices = (run: LiveRun, call: ToolCallPart, { content, files }: Answered): readonly UserPart[] => {
  const { turn } = run.state;
  if (!turn) return content;
  const hasChanged = files !== undefined && files.created.length + files.modified.length > 0;
  const notices: string[] = [];
  if (!hasChanged && isRepeated(run.state.recentCalls, call, content, placeFromEnd(turn, call))) notices.push(toRepeated(call));
  if (turn.settled.size + 1 === turn.calls.size) notices.push(...limitNotices(run, turn, call));
  if (notices.length === 0) return content;
  // A replayed answer has its notices already.
  const said = content.filter((part) => part.type !== "text" || !part.text.startsWith(NOTICE));
  return [...said, ...notices.map((text): UserPart => ({ type: "text", text: `${NOTICE}${text}` }))];
};

/** Where, from the end of the earlier calls, the one stands that had the place of this one in the turn before. */
const placeFromEnd = ({ calls }: OpenTurn, { callId }: ToolCallPart): number =>
  calls.size === 1 ? 1 : calls.size - [...calls.keys()].indexOf(callId);

/** The same call in the turn before, or two calls in turn for the second time. */
const isRepeated = (recent: readonly string[], call: ToolCallPart, content: readonly UserPart[], place: number): boolean => {
  const asks = (earlier: string | undefined): earlier is string =>
    earlier !== undefined && earlier.startsWith(call.tool) && earlier.startsWith(`\0${call.arguments}\0`, call.tool.length);
  const [before, other] = [recent.at(-place), place === 1 ? recent.at(-2) : undefined];
  // Most calls ask something new, and their answers need not be looked at.
  if (!asks(before) && !asks(other)) return false;
  const latest = signature(call, content);
  return before === latest || (other === latest && recent.at(-4) === latest && before === recent.at(-3));
};

const SHOWN_ARGUMENTS = 120;

const toRepeated = ({ tool, arguments: given }: ToolCallPart): string =>
  `You made the same call before, and it gave the same result: ${tool} ${given.slice(0, SHOWN_ARGUMENTS).toWellFormed()}. ` +
  "Nothing has changed since. Do something else; if it is repeated once more, this run has to hand in what it has.";

const limitNotices = ({ state, purse }: LiveRun, { calls, started }: OpenTurn, { callId }: ToolCallPart): readonly string[] => {
  const { iterations, toolCalls } = state.spec.limits;
  const turnsLeft = Math.min((iterations ?? Infinity) - state.used.iterations, leftIn(purse, "iterations").left);
  // This one counts once it is settled.
  const usedCalls = state.used.toolCalls + (started.has(callId) ? 1 : 0);
  const callsLeft = Math.min((toolCalls ?? Infinity) - usedCalls, leftIn(purse, "toolCalls").left);
  return [
    ...(turnsLeft === 1
      ? ["One turn is left before this run reaches its limit. Make the calls that matter most now, all in one answer."]
      : []),
    ...(callsLeft > 0 && callsLeft <= calls.size ? [`Tool calls left before this run reaches its limit: ${callsLeft}.`] : []),
  ];
};
