/** An inbox over the HTTP interface of Mailpit, the mail catcher that test environments have. Only on this machine, or on the host of the application under test. */
import { RetinueError } from "@retinue/protocol";
import { z } from "zod";
import type { Inbox } from "./inbox.ts";

const LIST = z.object({
  messages: z.array(z.object({ ID: z.string(), Created: z.string(), To: z.array(z.object({ Address: z.string() })).nullish() })),
});
const MESSAGE = z.object({ Subject: z.string(), Text: z.string().nullish(), HTML: z.string().nullish() });

const MOST_MAILS = 10;
const ANSWER_MS = 5_000;
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Throws `tool_failed` for any other place: a project's file does not make us ask hosts of the user's network. */
export const createMailpitInbox = (address: string, allowHosts: readonly string[] = []): Inbox => {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || !(LOOPBACK.has(url.hostname) || allowHosts.includes(url.host)))
    throw new RetinueError("tool_failed", `The inbox at ${address} is neither on this machine nor on the application's host.`);
  const ask = async <T>(path: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> => {
    try {
      const response = await fetch(new URL(path, url), {
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
        redirect: "error",
      });
      return schema.parse(await response.json());
    } catch (cause) {
      signal.throwIfAborted();
      throw new RetinueError(
        "tool_failed",
        `The inbox at ${address} does not answer as Mailpit does, so that nothing was typed.`,
        {
          hint: "Check the inbox of the suite, and whether Mailpit runs.",
          cause,
        },
      );
    }
  };
  return {
    mailsTo: async (to, sinceMs, signal) => {
      const query = new URLSearchParams({ query: `to:"${to.replaceAll('"', "")}"`, limit: String(MOST_MAILS) });
      const { messages } = await ask(`/api/v1/search?${query}`, LIST, signal);
      const own = messages
        .map(({ ID, Created, To }) => ({ id: ID, receivedAt: Date.parse(Created), to: (To ?? []).map(({ Address }) => Address) }))
        .filter((mail) => mail.receivedAt >= sinceMs && mail.to.some((one) => one.toLowerCase() === to.toLowerCase()))
        .toSorted((one, other) => other.receivedAt - one.receivedAt);
      return Promise.all(
        own.map(async ({ id, receivedAt }) => {
          const { Subject, Text, HTML } = await ask(`/api/v1/message/${encodeURIComponent(id)}`, MESSAGE, signal);
          const text = Text === null || Text === undefined || Text === "" ? (HTML ?? "").replaceAll(/<[^>]*>/g, " ") : Text;
          return { subject: Subject, text, receivedAt };
        }),
      );
    },
  };
};
