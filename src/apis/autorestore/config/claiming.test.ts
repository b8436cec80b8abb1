import { describe, expect, test } from "vitest";
import type { Stores } from "../../../core/volumes/stores.ts";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import { keyOf } from "../../../kube/object.ts";
import { claimed, meta, sampleClaim, sampleConfig, sampleTarget } from "../testing/samples.ts";
import {
  byPriority,
  configLabel,
  decideClaims,
  repositoryName,
  selectorOf,
  usesRepository,
} from "./claiming.ts";

const ns = (name: string, allowed?: string) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: meta(
    name,
    allowed === undefined ? {} : { annotations: { [ANNOTATIONS.allowedConfigs]: allowed } },
  ),
});

describe("selectorOf()", () => {
  const own = { stopPods: true, waitForHealthy: false };
  test.each([
    ["labels", { labelSelector: { matchLabels: { keep: "yes" } }, ...own }, true],
    ["other labels", { labelSelector: { matchLabels: { keep: "no" } }, ...own }, false],
    ["annotations", { annotationSelector: { tier: "gold" }, ...own }, true],
    ["annotations of another value", { annotationSelector: { tier: "tin" }, ...own }, false],
    ["its name", { names: ["other", "data"], ...own }, true],
    ["another name", { names: ["other"], ...own }, false],
    ["its namespace", { namespaces: ["home"], ...own }, true],
    ["another namespace", { namespaces: ["away"], names: ["data"], ...own }, false],
  ] as const)("by %s", (_, selector, selected) => {
    const claim = sampleClaim("data", { annotations: { tier: "gold" } });
    expect(selectorOf(sampleConfig({ selectors: [selector] }), claim) !== undefined).toBe(selected);
  });
});

describe("decideClaims()", () => {
  const decide = (claims: ReturnType<typeof sampleClaim>[], more = {}) => {
    const { managed, free, released, forbidden } = decideClaims({
      config: sampleConfig(),
      claims,
      stores: (): Stores => new Map(),
      namespace: (name) => ns(name),
      exists: () => true,
      ...more,
    });
    const names = (some: readonly (typeof claims)[number][]) => some.map(({ metadata }) => metadata.name);
    return { managed: names(managed), free: names(free), released: names(released), forbidden };
  };
  const none = { managed: [], free: [], released: [], forbidden: [] };

  test("what is selected and nobody's is free", () => {
    expect(decide([sampleClaim("data"), sampleClaim("other", { labels: {} })])).toEqual({
      ...none,
      free: ["data"],
    });
  });

  test("what it has claimed is its own, until the selector no longer matches", () => {
    const left = claimed("left", { labels: { keep: "no" } });
    expect(decide([claimed("data"), left])).toEqual({ ...none, managed: ["data"], released: ["left"] });
  });

  test("another's is left alone, until that one is gone", () => {
    const claims = [claimed("data", {}, "home/other")];
    expect(decide(claims)).toEqual(none);
    expect(decide(claims, { exists: () => false })).toEqual({ ...none, free: ["data"] });
  });

  test("a label that was copied without the annotation is no claim", () => {
    const copied = claimed("data", { annotations: { [ANNOTATIONS.managedBy]: undefined as never } });
    expect(decide([copied])).toEqual({ ...none, free: ["data"] });
  });

  test("a PVC that goes, or that a repository lies on, is none of its business", () => {
    const claims = [
      sampleClaim("going", { deletionTimestamp: "2026-05-24T12:00:00Z" }),
      sampleClaim("store"),
    ];
    expect(decide(claims, { stores: (): Stores => new Map([["store", "Repository home/nas"]]) })).toEqual(
      none,
    );
  });

  test("a BackupConfig that goes releases everything", () => {
    const config = sampleConfig({}, { deletionTimestamp: "2026-05-24T12:00:00Z" });
    expect(decide([claimed("data"), sampleClaim("free")], { config })).toEqual({
      ...none,
      released: ["data"],
    });
  });

  test("another namespace has to allow it", () => {
    const config = sampleConfig({
      selectors: [{ namespaces: ["away"], stopPods: true, waitForHealthy: false }],
    });
    const claims = [sampleClaim("far", { namespace: "away" }), claimed("was", { namespace: "away" })];
    expect(decide(claims, { config })).toEqual({ ...none, released: ["was"], forbidden: ["away"] });
    const namespace = (name: string) => ns(name, "x, home");
    expect(decide(claims, { config, namespace })).toEqual({ ...none, free: ["far"], managed: ["was"] });
  });
});

test("targets go by priority, and each has its repository", () => {
  const inline = { target: "b2:bucket:path", privilegedMover: false };
  const config = sampleConfig({
    backupTargets: [
      sampleTarget("b", { priority: 2 }),
      sampleTarget("a", { priority: 1, repository: inline }),
    ],
  });
  expect(byPriority(config).map((one) => repositoryName(config, one))).toEqual(["all-a", "b"]);
  expect(usesRepository(config, keyOf({ namespace: "home", name: "all-a" }))).toBe(true);
  expect(usesRepository(config, keyOf({ namespace: "away", name: "b" }))).toBe(false);
});

test("a label names a BackupConfig, also one whose name is long", () => {
  expect(configLabel({ namespace: "home", name: "all" })).toBe("home.all");
  expect(configLabel({ namespace: "home", name: "x".repeat(80) })).toHaveLength(63);
});
