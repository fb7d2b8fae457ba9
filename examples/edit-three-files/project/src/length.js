/** Inches to centimetres. */
export const toCentimetres = (inches) => inches * 2.54;
