/** Where a file of this package lies, in a checkout as in the package that is published. This file never moves to another depth. */
export const packageFile = (name: string): URL => new URL(`../../${name}`, import.meta.url);
