import { describe, expect, it } from "vitest";
import { RecentMap } from "./recent-map.ts";

describe("RecentMap", () => {
  it("evicts the least recently set entry, and counts one that is set again as new", () => {
    const map = new RecentMap<string, number>(2);
    map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
    expect([...map]).toEqual([
      ["a", 3],
      ["c", 4],
    ]);
  });

  it("keeps the last of its initial entries", () => {
    const entries = [1, 2, 3].map((number) => [number, `${number}`] as const);
    expect([...new RecentMap(2, entries).keys()]).toEqual([2, 3]);
  });
});
