/** What people say for after the turn that runs, through the server. The record keeps the queue; `session-keeper.ts` begins what waits in it. */
import type { InputSource, SessionId, TurnId, UserPart } from "@retinue/protocol";
import type { Served } from "./served-workspaces.ts";
import type { SessionKeeper } from "./session-keeper.ts";

export type ShownTurn = { readonly turnId: TurnId; readonly text: string };

type Spoken = { readonly served: Served; readonly sessionId: SessionId };

const textOf = (task: readonly UserPart[]): string =>
  task.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");

export const listQueue = async ({ served, sessionId }: Spoken): Promise<readonly ShownTurn[]> =>
  (await served.workspace.live.queuedTurns(sessionId)).map(({ turnId, task }) => ({ turnId, text: textOf(task) }));

export type QueueOptions = Spoken & {
  readonly text: string;
  readonly source: InputSource;
  readonly keeper: Pick<SessionKeeper, "wake">;
};

/** False where nothing ran, so that the turn has begun. */
export const addToQueue = async ({ served, sessionId, text, source, keeper }: QueueOptions): Promise<boolean> => {
  const { live } = served.workspace;
  const turnId = await live.queueTurn(sessionId, text, { source });
  await keeper.wake(sessionId);
  return (await live.queuedTurns(sessionId)).some((turn) => turn.turnId === turnId);
};
