/** Judges whether what another process said to a tree of runs was recorded once, heard once, and done. */
import type { RecordedEvent } from "@retinue/protocol";
import type { Evidence, Find } from "./examine.ts";

export const examineInputs = ({ scenario, said, final: { events } }: Evidence, find: Find): void => {
  const { inputs } = scenario;
  if (inputs === undefined) return;
  const messages = events.filter((event) => event.type === "message.received");
  const human = messages.filter(({ from }) => from === "human");
  if (human.length !== 1) find("wrong-input", `the message was recorded ${human.length} times`);
  const cancels = events.filter(({ type }) => type === "cancel.requested");
  if (cancels.length !== 1) find("wrong-input", `the stop was recorded ${cancels.length} times`);
  examineHearing({ said, scenario }, find);
  examineLetters(events, messages, find);
};

/** The main agent's model reads the message once in each request after it came, and does in the last one. */
const examineHearing = ({ said, scenario }: Pick<Evidence, "said" | "scenario">, find: Find): void => {
  const main = scenario.agents[0]?.name;
  const told = said.flat().flatMap((line) => (line.type === "requested" && line.agent === main ? [line.told] : []));
  if (told.some((times) => times > 1)) find("wrong-input", "a request holds the message more than once");
  if (told.at(-1) !== 1) find("wrong-input", `the last request holds the message ${told.at(-1)} times`);
};

/** Each run in the background tells its parent once that it has settled. */
const examineLetters = (events: readonly RecordedEvent[], messages: readonly { readonly from: string }[], find: Find): void => {
  const background = events.flatMap((event) =>
    event.type === "run.requested" && isBackground(events, event.parentCallId) ? [event.runId] : [],
  );
  for (const runId of background) {
    const times = messages.filter(({ from }) => from === runId).length;
    if (times !== 1) find("wrong-input", `${runId} was heard of ${times} times`);
  }
};

const isBackground = (events: readonly RecordedEvent[], callId: string | undefined): boolean =>
  events.some(
    (event) =>
      event.type === "tool.started" &&
      event.callId === callId &&
      (event.input as { readonly background?: boolean } | null)?.background === true,
  );
