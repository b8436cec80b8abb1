import { describe, expect, test } from "vitest";
import { cacheFolder, clusterFolder, clustersFolder } from "./folders.ts";

describe("clustersFolder()", () => {
  test("is below the home folder's state by default", () => {
    expect(clustersFolder({ HOME: "/home/ada" })).toBe("/home/ada/.local/state/holdfast/clusters");
  });

  test("follows XDG_STATE_HOME, and HOLDFAST_CLUSTERS before it", () => {
    expect(clustersFolder({ HOME: "/h", XDG_STATE_HOME: "/s" })).toBe("/s/holdfast/clusters");
    expect(clustersFolder({ HOME: "/h", XDG_STATE_HOME: "/s", HOLDFAST_CLUSTERS: "/c" })).toBe("/c");
  });
});

test("cacheFolder() follows HOLDFAST_CACHE, then XDG_CACHE_HOME, then the home folder", () => {
  expect(cacheFolder({ HOME: "/h", XDG_CACHE_HOME: "/x", HOLDFAST_CACHE: "/c" })).toBe("/c");
  expect(cacheFolder({ HOME: "/h", XDG_CACHE_HOME: "/x" })).toBe("/x/holdfast");
  expect(cacheFolder({ HOME: "/h" })).toBe("/h/.cache/holdfast");
});

describe("clusterFolder()", () => {
  test("takes a short name in lower case", () => {
    expect(clusterFolder("dev-a", { HOLDFAST_CLUSTERS: "/c" })).toBe("/c/dev-a");
  });

  test.each(["", "..", "a/b", "A", "-a", "a-", "x".repeat(33)])("refuses %j", (name) => {
    expect(() => clusterFolder(name, { HOLDFAST_CLUSTERS: "/c" })).toThrow("is not a cluster name");
  });
});
