import { createServer, connect } from "node:net";
import { once } from "node:events";
import { describe, expect, test } from "vitest";

describe("tests dial this machine alone", () => {
  // Addresses that are kept free for documentation; even so, nothing is sent to them.
  for (const host of ["192.0.2.1", "2001:db8::1", "example.invalid"])
    test(`${host} is refused before a connection is made`, async () => {
      const socket = connect({ host, port: 80 });
      const [error] = (await once(socket, "error")) as [Error];
      expect(error.message).toBe(`a test dialled ${host}`);
    });

  test("loopback passes", async () => {
    const server = createServer((socket) => socket.end("hello"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const socket = connect(typeof address === "object" && address ? address.port : 0, "127.0.0.1");
    const [data] = (await once(socket, "data")) as [Buffer];
    expect(data.toString()).toBe("hello");
    server.close();
  });
});
