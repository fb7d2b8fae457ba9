/** Fahrenheit to Celsius. */
export const toCelsius = (fahrenheit) => ((fahrenheit - 32) * 5) / 9;
