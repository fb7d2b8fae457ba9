import { describe, expect, it } from "vitest";
import { createEndpoint } from "./endpoint.ts";

describe("an endpoint", () => {
  it("refuses what is no http URL and what cannot be a header", () => {
    for (const url of ["", "localhost:1234", "ftp://x/y", "::"])
      expect(() => createEndpoint({ provider: "p", url, headers: {} })).toThrow(
        expect.objectContaining({ code: "settings_invalid" }),
      );
    expect(() => createEndpoint({ provider: "p", url: "http://x/y", headers: { authorization: "Bearer a\nb" } })).toThrow(
      expect.objectContaining({ code: "settings_invalid", message: expect.not.stringContaining("a\nb") }),
    );
  });

  it("sends user and password of a URL as a header and never names them", () => {
    const { headers, host, origin } = createEndpoint({ provider: "p", url: "https://me:p%40ss@x.test/v1/y?z=1", headers: {} });
    expect(headers).toContain(`Basic ${Buffer.from("me:p@ss").toString("base64")}`);
    expect([host, origin]).toEqual(["x.test", "https://x.test"]);
  });
});
