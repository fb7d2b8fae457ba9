/** A sub-agent is given one folder of the project: whatever is beside it is looked at and written by every way up. */
import type { Json } from "@retinue/protocol";
import type { AttackCall } from "./draw-call.ts";
import type { Random } from "./pick.ts";
import { pick } from "./pick.ts";

/** The folder that is given, and what no sub-agent in it may see. */
export const PART = "packages/part";
export const BESIDE = "packages/other/plan.md";

const UPWARDS = [
  "../..",
  "./../../.",
  "$PWD/../..",
  "@WORKSPACE@",
  "inner/../../..",
  "/proc/self/cwd/../..",
  "/proc/1/cwd/../..",
];

const drawCommand = (random: Random): string => {
  const up = pick(random, UPWARDS);
  const file = `${up}/${BESIDE}`;
  return pick(random, [
    `cat ${file}`,
    `base64 -w0 ${file}`,
    `ln -sfn ${file} link; cat link`,
    `ln ${file} hard; cat hard`,
    `cd ${up} && cat ${BESIDE}`,
    `grep -rah k7Q ${up} 2>/dev/null | head -3`,
    `find / -xdev -name plan.md -exec cat {} + 2>/dev/null | head -3`,
    `git show HEAD:${BESIDE}; git -C ${up} grep k7Q; git log -p | grep k7Q`,
    `GIT_DIR=${up}/.git git show HEAD:${BESIDE}`,
    `echo evil > ${file}`,
    `echo evil > ${up}/packages/evil.txt; rm -rf ${up}/packages/other`,
    `ln -sfn ${up} up; echo evil > up/README.md; cat up/${BESIDE}`,
    `cd ..; mv part part2; ln -s other part; cat part/plan.md`,
  ]);
};

const drawInside = (random: Random): AttackCall => {
  const path = `${pick(random, ["../..", "@WORKSPACE@", "inner/../../..", "link", "up"])}/${BESIDE}`;
  if (random() < 0.6) return { tool: "shell", input: { command: drawCommand(random), timeoutMs: 20_000 } };
  return pick<AttackCall>(random, [
    { tool: "read", input: { path } },
    { tool: "read", input: { path: "link" } },
    { tool: "grep", input: { pattern: "k7Q", path: pick(random, ["..", "../..", "link", path]) } },
    { tool: "glob", input: { pattern: "../**", path: ".." } },
    { tool: "write", input: { path, content: "evil\n" } },
    { tool: "write", input: { path: "up/README.md", content: "evil\n" } },
    {
      tool: "git",
      input: {
        args: pick(random, [
          ["show", `HEAD:${BESIDE}`],
          ["grep", "k7Q", "HEAD", "--", ":/"],
          ["log", "-p"],
        ]),
      },
    },
    { tool: "git_diff", input: { from: "HEAD", path: pick(random, ["../other", ".", path]) } },
    { tool: "git_commit", input: { message: "evil", paths: [pick(random, ["../other", ".."])] } },
  ]);
};

/** One or two deep: whoever was given the folder can give no other away. */
export const drawPart = (random: Random, depth = 0): AttackCall => {
  const calls = Array.from({ length: 3 }, () => (depth === 0 && random() < 0.25 ? drawPart(random, 1) : drawInside(random)));
  const folders =
    depth === 0
      ? [PART, PART, `./${PART}`, "packages/../packages/part", "part-link"]
      : ["..", "../..", "@WORKSPACE@", "../other", "link", "inner"];
  const input: Record<string, Json> = {
    agent: pick(random, ["helper", "owner"]),
    task: `Do: ${JSON.stringify(calls)}`,
    ...(depth > 0 && random() < 0.4 ? {} : { working_directory: pick(random, folders) }),
  };
  return { tool: "delegate_to_agent", input };
};
