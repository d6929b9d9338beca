import { describe, expect, it } from "vitest";
import { RecentMap } from "./recent-map.ts";

describe("a map of what is recent", () => {
  it("forgets what was set longest ago, and counts what is set again as new", () => {
    const map = new RecentMap<string, number>(2);
    map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
    expect([...map]).toEqual([
      ["a", 3],
      ["c", 4],
    ]);
  });

  it("holds the latest of the entries that it begins with", () => {
    const entries = [1, 2, 3].map((number) => [number, `${number}`] as const);
    expect([...new RecentMap(2, entries).keys()]).toEqual([2, 3]);
  });
});
