import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findCommandLines, TRIALS } from "./command-lines.ts";

const README = readFileSync(path.join(import.meta.dirname, "../../README.md"), "utf8");

test("command lines are found in blocks of sh and console and in tables, without their remarks", () => {
  const text = [
    "```sh",
    "npm start     # serves",
    '              # more, and "quoted"',
    "```",
    "```console",
    '$ retinue run "a # b"',
    "retinue: prints this",
    "```",
    "| `retinue stats`  | figures of `retinue run` |",
    "`retinue doctor` in a sentence",
  ].join("\n");
  expect(findCommandLines(text)).toEqual(["npm start", 'retinue run "a # b"', "retinue stats"]);
});

test("every command line of the README is tried, or named with the reason why not", () => {
  expect(findCommandLines(README).filter((line) => TRIALS[line] === undefined)).toEqual([]);
  expect(Object.keys(TRIALS).filter((line) => !findCommandLines(README).includes(line))).toEqual([]);
});
