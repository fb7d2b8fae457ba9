/** Pounds to kilograms. */
export const toKilograms = (pounds) => pounds * 0.45359237;
