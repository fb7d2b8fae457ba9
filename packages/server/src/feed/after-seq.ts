/** The last number that a client says it knows. What is no such number is as good as none: the feed then begins at the first event. */
export const toAfterSeq = (given: string | null | undefined): number => {
  if (given === null || given === undefined || !/^\d{1,15}$/.test(given)) return 0;
  return Number(given);
};
