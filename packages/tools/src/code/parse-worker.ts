/** A thread that reads and parses the files it is given, some at a time. */
import { parentPort } from "node:worker_threads";
import { createSymbolReader } from "./read-symbols.ts";
import type { SourceAnswer, SourceRequest } from "./source-answer.ts";
import { readSourceFile } from "./source-file.ts";

const reader = createSymbolReader();

const readAll = async (requests: readonly SourceRequest[]): Promise<readonly SourceAnswer[]> => {
  const answers: SourceAnswer[] = [];
  for (const request of requests) answers.push(await readSourceFile(request, await reader));
  return answers;
};

parentPort?.on("message", (requests: readonly SourceRequest[]) => {
  void readAll(requests).then((answers) => parentPort?.postMessage(answers, []));
});
