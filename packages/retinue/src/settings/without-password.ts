/** An address as it may be shown: whoever reads it learns where, not with which password. */

/** The end of the user's part is the last @ before the path. */
const PASSWORD = /\b([a-z][a-z\d+.-]{0,30}:\/\/[^\s/?#:@"']*:)[^\s/?#"']*(?=@)/gi;

export const withoutPassword = (text: string): string => text.replace(PASSWORD, "$1…");
