/** The place in the project that a stack trace or a message of a runner leads to: the first that is no code of others. */
export type StackPlace = { readonly file: string; readonly line: number };

const FRAME = /(?<![\w.-])(?:file:\/\/)?((?:\/|[A-Za-z]:[\\/])[^\s():]+):(\d+)(?::\d+)?/g;

export const findStackPlace = (text: string): StackPlace | undefined => {
  for (const [, file, line] of text.matchAll(FRAME))
    if (file !== undefined && !/[\\/]node_modules[\\/]/.test(file)) return { file, line: Number(line) };
  return undefined;
};
