/**
 * A process that ends without closing its stores has Node close them: their write-ahead files are brought in and removed. What a store has to write before that
 * is written here, so that it is not mistaken for one whose write-ahead file was taken away.
 */
const leaving = new Set<() => void>();

const leaveAll = (): void => {
  for (const leave of leaving) leave();
};

/** Calls `leave` when the process ends, unless the function that is returned was called before. */
export const leaveAtExit = (leave: () => void): (() => void) => {
  if (leaving.size === 0) process.on("exit", leaveAll);
  leaving.add(leave);
  return () => {
    leaving.delete(leave);
    if (leaving.size === 0) process.off("exit", leaveAll);
  };
};
