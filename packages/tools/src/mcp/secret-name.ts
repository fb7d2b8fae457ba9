/** Tells by its name whether a variable or header of a server holds a secret. */

const SECRET = /key|token|secret|passw|credential|auth|cookie/i;

export const isSecretName = (name: string): boolean => SECRET.test(name);
