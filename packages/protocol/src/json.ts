/** JSON values, as they cross every border of Retinue: wire, record, tool input. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };
