/** What a search engine is to us: words in, hits out. One file an engine. */
export type SearchHit = {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** As the engine tells it. */
  readonly date?: string;
};

export type SearchRequest = { readonly query: string; readonly count: number; readonly signal: AbortSignal };

export type SearchProvider = {
  /** As people call it. */
  readonly name: string;
  /** The host that is asked. */
  readonly host: string;
  /** Throws what the model should read; no key stands in it. */
  readonly search: (request: SearchRequest) => Promise<readonly SearchHit[]>;
};
