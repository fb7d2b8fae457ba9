/** A piece of a document that is found as a whole, and where in the document it stands. */
export type Chunk = {
  /** The headings above it, outermost first; empty where there are none. */
  readonly heading: string;
  /** Lines of the file, counted from 1; absent where the text has other lines than the file. */
  readonly lines?: { readonly first: number; readonly last: number };
  /** Counted from 1. */
  readonly page?: number;
  readonly text: string;
};

/** Long enough to make sense alone, short enough that a hit is near its words. */
export const CHUNK_CHARS = 1500;
