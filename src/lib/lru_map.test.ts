import { describe, expect, test } from "vitest";
import { LruMap } from "./lru_map.ts";

describe("LruMap", () => {
  test("forgets what was longest neither read nor written", () => {
    const map = new LruMap<string, number>(3);
    map.set("a", 1);
    map.set("b", 2);
    map.set("c", 3);
    map.get("a");
    map.set("b", 4);
    map.set("d", 5);
    expect(["a", "b", "c", "d"].map((key) => map.get(key))).toEqual([1, 4, undefined, 5]);
    expect(map.size).toBe(3);
  });
});
