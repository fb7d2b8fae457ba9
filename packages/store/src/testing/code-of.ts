/** The code that an act fails with; undefined where it does not fail. */
export const codeOf = async (act: () => unknown): Promise<string | undefined> => {
  try {
    await act();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
};
