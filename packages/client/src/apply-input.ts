/** What others say to a run: messages, on their way until they are delivered, and requests to stop. */
import type { EventOf } from "@retinue/protocol";
import type { MessageView } from "./session-view.ts";
import { listOf, mapOf, type RunCell, type Writable } from "./run-cell.ts";

/** A message without an id entered the conversation where it stands. */
export const applyReceived = (cell: RunCell, event: EventOf<"message.received">): void => {
  const { messageId = null, from, content, source = null, at } = event;
  const message: MessageView = {
    messageId,
    from,
    content,
    source,
    receivedAt: at,
    deliveredAt: messageId === null ? at : null,
    withdrawnAt: null,
  };
  listOf(cell.view.messages).push(message);
  if (messageId !== null) mapOf(cell.view.queuedMessages).set(messageId, message);
};

export const applyWithdrawn = (cell: RunCell, { messageId, at }: EventOf<"message.withdrawn">): void => {
  const queued = mapOf(cell.view.queuedMessages);
  const message: Writable<MessageView> | undefined = queued.get(messageId);
  if (message === undefined) return;
  message.withdrawnAt = at;
  queued.delete(messageId);
};

export const applyDelivered = (cell: RunCell, { messageIds, at }: EventOf<"message.delivered">): void => {
  const queued = mapOf(cell.view.queuedMessages);
  for (const messageId of messageIds) {
    const message: Writable<MessageView> | undefined =
      queued.get(messageId) ?? cell.view.messages.find((one) => one.messageId === messageId);
    if (message !== undefined) message.deliveredAt = at;
    queued.delete(messageId);
  }
};

export const applyCancel = (cell: RunCell, { at, reason, finish, source }: EventOf<"cancel.requested">): void => {
  listOf(cell.view.cancelRequests).push({ at, reason: reason ?? null, isFinish: finish === true, source: source ?? null });
};
