/** Has axe look at what a page shows; what it finds is told in lines that a person can act on. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Found = {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
};

/** Serious and critical findings. The script is put in by the browser's own tools: no policy of the page is loosened for it. */
export const findInaccessible = async (page: Page): Promise<readonly string[]> => {
  // What fades in has its colours only at the end.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((one) => one.effect?.getTiming().iterations === 1)
        .map((one) => one.finished.catch(() => undefined)),
    ),
  );
  await page.evaluate(SOURCE);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as {
      readonly axe: { readonly run: (options: object) => Promise<{ readonly violations: readonly unknown[] }> };
    };
    return (await axe.run({ resultTypes: ["violations"] })).violations as unknown[];
  });
  return (violations as readonly Found[])
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) => `${id}: ${help} at ${target.join(" ")} ${failureSummary?.replaceAll("\n", " ") ?? ""}`,
      ),
    );
};
