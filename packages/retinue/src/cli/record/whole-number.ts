/** A number from the command line. */
import { RetinueError } from "@retinue/protocol";

export const wholeNumber = (text: string, option: string, least: number): number => {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < least)
    throw new RetinueError("usage", `${option} ${text} is not a whole number of ${least} or more.`);
  return number;
};
