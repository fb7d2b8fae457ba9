import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { fillSecrets } from "./fill-secrets.ts";

const VALUE = `a"b'c $HOME \`id\` \\ d`;
const values = new Map([["API_TOKEN", VALUE]]);

const say = async (line: string): Promise<string> => {
  const { command, env } = fillSecrets(line, values);
  expect(command).not.toContain("API_TOKEN}}");
  return (await promisify(execFile)("/bin/sh", ["-c", command], { env: { PATH: "/usr/bin:/bin", ...env } })).stdout;
};

describe("a secret that a command line refers to", () => {
  test.each([
    ["plain", "printf '<%s>' {{secret:API_TOKEN}}"],
    ["in double quotes", 'printf "<%s>" "{{secret:API_TOKEN}}"'],
    ["in single quotes", "printf '<%s>' '{{secret:API_TOKEN}}'"],
    ["behind an escaped quote", `printf '<%s>' {{secret:API_TOKEN}} # \\" it's`],
  ])("is given to it as it is, %s", async (_where, line) => {
    expect(await say(line)).toBe(`<${VALUE}>`);
  });

  test("stands in the environment and not in the line", () => {
    const { command, env } = fillSecrets("curl -H 'X: {{secret:API_TOKEN}}' https://example.com", values);
    expect(command).toBe(`curl -H 'X: '"\${RETINUE_SECRET_API_TOKEN}"'' https://example.com`);
    expect(env).toEqual({ RETINUE_SECRET_API_TOKEN: VALUE });
  });

  test("is refused where there is no such secret, with those that there are, and in a here-document", () => {
    expect(() => fillSecrets("echo {{secret:OTHER}}", values)).toThrow(
      expect.objectContaining({ code: "tool_failed", hint: "There are: API_TOKEN." }),
    );
    expect(() => fillSecrets("cat <<EOF\n{{secret:API_TOKEN}}\nEOF", values)).toThrow(/here-documents/);
  });
});
