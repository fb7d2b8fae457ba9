/** How much a feed holds for a client, and how long it waits for one that does not read. */
export type FeedLimits = {
  /** With more than this waiting, live events are left out, and recorded ones are read again from the record once the client has taken what waits. */
  readonly waitingBytes: number;
  /** Events that are read from the record at first for a client that is behind; more at a time where they are small. */
  readonly pageEvents: number;
  readonly mostPageEvents: number;
  /** A client that takes nothing for so long is dropped. */
  readonly stallMs: number;
};

export const FEED_LIMITS: FeedLimits = { waitingBytes: 1024 * 1024, pageEvents: 64, mostPageEvents: 1_024, stallMs: 15_000 };
