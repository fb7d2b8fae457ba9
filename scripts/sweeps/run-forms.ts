/** Makes sweeps one after the other and tells, line by line, what each of them came to. */
import type { Form, Outcome } from "./forms/form.ts";
import { createSweepGround, type OwnedGround } from "./sweep-ground.ts";

export type RunFormsOptions = {
  readonly forms: readonly Form[];
  readonly full: boolean;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** How far it is, now and then. */
  readonly progress: (line: string) => void;
  /** How often at most. */
  readonly progressEveryMs?: number;
};

export type FormsReport = { readonly outcomes: number; readonly findings: number };

export const runForms = async (options: RunFormsOptions): Promise<FormsReport> => {
  const { forms, full, seed, signal, say, progress, progressEveryMs = 15_000 } = options;
  let ground: Promise<OwnedGround> | undefined;
  let [outcomes, findings] = [0, 0];
  const startedAt = performance.now();
  let toldAt = startedAt;
  const tell = (name: string, { title, figures, findings: found }: Outcome): void => {
    outcomes += 1;
    findings += found.length;
    say(`${found.length === 0 ? "ok    " : "FOUND "} ${name}: ${title}: ${figures}`);
    for (const one of found) say(`         ${one}`);
  };
  const run = async (form: Form): Promise<void> => {
    const formOptions = {
      full,
      seed,
      signal,
      ground: () => (ground ??= createSweepGround(signal)),
      progress: (text: string): void => {
        if (performance.now() - toldAt < progressEveryMs) return;
        toldAt = performance.now();
        progress(`${form.name}: ${text}`);
      },
    };
    progress(`${form.name}: ${form.about}`);
    try {
      for await (const outcome of form.run(formOptions)) tell(form.name, outcome);
    } catch (thrown) {
      // Interrupted on its way.
      if (signal.aborted) return;
      const what = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
      tell(form.name, { title: "it could not be made", figures: "", findings: [what] });
    }
  };
  try {
    for (const form of forms) if (!signal.aborted) await run(form);
  } finally {
    (await ground?.catch(() => undefined))?.close();
  }
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const how = signal.aborted ? "interrupted after" : "in";
  say(`${outcomes} sweeps, ${findings} findings, ${how} ${seconds} s (${full ? "full" : "short"} form)`);
  return { outcomes, findings };
};
