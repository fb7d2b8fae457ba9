/** Reads where a model says that something is on a picture. What it does not say clearly is not guessed. */

export type Place = { readonly x: number; readonly y: number };

export const parsePlace = (
  text: string,
  { width, height }: { readonly width: number; readonly height: number },
): Place | undefined => {
  const numbers = [...text.matchAll(/(?<![\d.])\d{1,5}(?:\.\d+)?(?![\d])/g)].map(([number]) => Math.round(Number(number)));
  const [x, y, ...more] = numbers;
  if (x === undefined || y === undefined || more.length > 0) return undefined;
  return x < width && y < height ? { x, y } : undefined;
};
