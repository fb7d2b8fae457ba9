/**
 * The types of events are written by hand, to be read; their schemas are data, to be checked against. This file does not compile where
 * the two differ, in either direction: a field that one of them lacks, another type, an optional field that is not.
 */
import type { z } from "zod";
import type { EventOf, LiveType, RecordedType } from "../events.ts";
import type { Json } from "../json.ts";
import type { LIVE_SCHEMAS } from "./live-events.ts";
import type { RECORDED_SCHEMAS } from "./event-schemas.ts";

/** One object type for each member, without `readonly`, which no schema tells. JSON stays as it is: it is recursive and ours on both sides. */
export type Plain<T> = Json extends T ? T : T extends object ? { -readonly [Key in keyof T]: Plain<T[Key]> } : T;

/** True where the two types are the same; both of them where they are not. Open types are compared exactly, and by an alias they would not be. */
export type Agrees<Written, Parsed> =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- that they are open is the point
  (<T>() => T extends Plain<Written> ? 1 : 2) extends <T>() => T extends Plain<Parsed> ? 1 : 2
    ? true
    : { readonly written: Plain<Written>; readonly parsed: Plain<Parsed> };

/** For each type of event whether its schema agrees with what is written. A type without a schema does not agree. */
export type Agreement<Type extends RecordedType | LiveType, Schemas> = {
  readonly [T in Type]: T extends keyof Schemas ? Agrees<EventOf<T>, z.output<Schemas[T]>> : { readonly withoutSchema: T };
};

type AllAgree<A extends Readonly<Record<string, true>>> = A;
type SameNames<A extends true> = A;

export type RecordedAgree = AllAgree<Agreement<RecordedType, typeof RECORDED_SCHEMAS>>;
export type LiveAgree = AllAgree<Agreement<LiveType, typeof LIVE_SCHEMAS>>;
export type NoSchemaMore = SameNames<Agrees<RecordedType | LiveType, keyof typeof RECORDED_SCHEMAS | keyof typeof LIVE_SCHEMAS>>;
