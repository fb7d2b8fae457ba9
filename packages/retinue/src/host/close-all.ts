/** Closes several things, each of them also where another fails, and then throws the first failure. */
type Close = () => Promise<unknown> | undefined;

export const closeAll = async (closes: readonly Close[], how: "in turn" | "at once" = "in turn"): Promise<void> => {
  const failures: unknown[] = [];
  const attempt = async (close: Close): Promise<void> => {
    try {
      await close();
    } catch (thrown) {
      failures.push(thrown);
    }
  };
  if (how === "at once") await Promise.all(closes.map(attempt));
  else for (const close of closes) await attempt(close);
  if (failures.length > 0) throw failures[0];
};
