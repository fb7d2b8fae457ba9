/** Times as a running clock shows them: 0:09, 4:10, 1:02:03. */
const two = (number: number): string => String(number).padStart(2, "0");

export const clock = (ms: number): string => {
  const all = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
};
