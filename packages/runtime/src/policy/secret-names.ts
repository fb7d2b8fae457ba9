/** How a call refers to a secret that it may not know: `{{secret:NAME}}`, which a tool fills in where a human has allowed that. */

export const SECRET_REFERENCE = /\{\{secret:([A-Za-z_][\w.-]{0,63})\}\}/g;

/** `{{totp:NAME}}`: the one-time code that a secret gives now. */
export const TOTP_REFERENCE = /\{\{totp:([A-Za-z_][\w.-]{0,63})\}\}/g;

/** `{{mail-code:ADDRESS}}`: the code of the newest mail to an address. */
export const MAIL_CODE_REFERENCE = /\{\{mail-code:([^\s{}"'<>@]{1,64}@[^\s{}"'<>@]{1,190})\}\}/g;

/** The secrets that one-time codes in a text are made from. */
export const totpNamesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(TOTP_REFERENCE)].map(([, name = ""]) => name)),
];

/** The names that a text refers to, each once. */
export const secretNamesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(SECRET_REFERENCE)].map(([, name = ""]) => name)),
];
