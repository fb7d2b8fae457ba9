import { describe, expect, it } from "vitest";
import type { PersistentMap } from "./persistent-map.ts";
import { eachValue, EMPTY_MAP, filterEntries, getEntry, withEntry } from "./persistent-map.ts";
import { createSeededRandom } from "./testing/seeded-random.ts";

const asList = (map: PersistentMap<number>): readonly number[] => [...eachValue(map)].toSorted((a, b) => a - b);

describe("a map that never changes", () => {
  it("holds what an ordinary map holds, at every size, and so does each that came before it", () => {
    const random = createSeededRandom(7);
    let map: PersistentMap<number> = EMPTY_MAP;
    const plain = new Map<string, number>();
    const earlier: { readonly map: PersistentMap<number>; readonly values: readonly number[] }[] = [];
    for (let step = 0; step < 3000; step += 1) {
      const key = `call_${random.below(900)}`;
      map = withEntry(map, key, step);
      plain.set(key, step);
      if (step % 100 === 0) earlier.push({ map, values: asList(map) });
      if (step % 700 === 699) {
        map = filterEntries(map, (value) => value % 3 === 0);
        for (const [one, value] of plain) if (value % 3 !== 0) plain.delete(one);
      }
      expect(map.size).toBe(plain.size);
      expect(getEntry(map, key)).toBe(plain.get(key));
    }
    expect(asList(map)).toEqual([...plain.values()].toSorted((a, b) => a - b));
    for (const before of earlier) expect(asList(before.map)).toEqual(before.values);
  });

  it("tells apart keys that end alike, and knows none that was not set", () => {
    const end = "x".repeat(100);
    let map: PersistentMap<number> = EMPTY_MAP;
    for (let at = 0; at < 200; at += 1) map = withEntry(map, `${at}${end}`, at);
    for (let at = 0; at < 200; at += 1) expect(getEntry(map, `${at}${end}`)).toBe(at);
    expect(getEntry(map, end)).toBeUndefined();
    expect(map.size).toBe(200);
  });
});
