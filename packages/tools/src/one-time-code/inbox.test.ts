import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findCode, waitForMailCode } from "./inbox.ts";
import { createMailpitInbox } from "./mailpit-inbox.ts";

type Sent = { readonly to: string; readonly at: number; readonly subject: string; readonly text: string };

describe("codes by mail", () => {
  const sent: Sent[] = [];
  const server = createServer((asked, answer) => {
    const url = new URL(asked.url ?? "/", "http://127.0.0.1");
    const [, id] = /^\/api\/v1\/message\/(\d+)$/.exec(url.pathname) ?? [];
    const mail = id === undefined ? undefined : sent[Number(id)];
    const wanted = /to:"(.*)"/.exec(url.searchParams.get("query") ?? "")?.[1] ?? "";
    answer.setHeader("content-type", "application/json");
    // Mailpit finds parts of addresses, too.
    const messages = sent.flatMap(({ to, at }, ID) =>
      to.toLowerCase().includes(wanted) ? [{ ID: String(ID), Created: new Date(at).toISOString(), To: [{ Address: to }] }] : [],
    );
    answer.end(JSON.stringify(mail ? { Subject: mail.subject, Text: mail.text, HTML: "" } : { messages }));
  });
  let address = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => server.close());

  const wait = (to: string, more: { readonly withinMs?: number; readonly pattern?: string } = {}): Promise<string> =>
    waitForMailCode({
      inbox: createMailpitInbox(address),
      address: to,
      sinceMs: 1000,
      signal: new AbortController().signal,
      ...more,
    });

  test("the newest mail to the address since the case began is taken, also one that is still to come", async () => {
    const mail = (to: string, at: number, code: string): Sent => ({ to, at, subject: "Hello", text: `Your code: ${code}` });
    sent.splice(0, sent.length, mail("ada@example.com", 500, "111111"), mail("xada@example.com", 9000, "222222"));
    const waiting = wait("ada@example.com");
    setTimeout(() => sent.push(mail("ada@example.com", 2000, "333333"), mail("Ada@example.com", 3000, "444444")), 300);
    expect(await waiting).toBe("444444");
  });

  test("a mail that does not come is told, and nothing else is taken", async () => {
    await expect(wait("bob@example.com", { withinMs: 300 })).rejects.toThrow("No mail with a code came to bob@example.com");
  });

  test.each([
    [
      "Your sign-in code",
      "Hello Ada,\n\nuse this code within 10 minutes of 2026:\n\n  482913\n\nOrder 20441, total 1999.00",
      "482913",
    ],
    ["4821 is your code", "Sent on 2026-01-02", "4821"],
    ["Hello", "nothing but https://shop.example/1234567 and 12.50", null],
  ])("of %j the code is found, and no date, price or address", (subject, text, code) => {
    expect(findCode({ subject, text })).toBe(code);
  });

  test("a pattern says where the code stands", () => {
    expect(findCode({ subject: "", text: "Code 1234, or link /verify?t=ab-77" }, "t=([a-z]+-\\d+)")).toBe("ab-77");
  });

  test("an inbox elsewhere than on this machine or at the application is refused", () => {
    expect(() => createMailpitInbox("http://10.0.0.5:8025")).toThrow("neither on this machine nor on the application's host");
    expect(createMailpitInbox("http://10.0.0.5:8025", ["10.0.0.5:8025"])).toBeDefined();
  });
});
