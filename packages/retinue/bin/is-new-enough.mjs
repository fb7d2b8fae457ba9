/**
 * Whether a Node of this version runs Retinue.
 * @param {string} version
 */
export const isNewEnough = (version) => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 24 || (major === 24 && minor >= 15);
};
