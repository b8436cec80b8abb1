import { describe, expect, test } from "vitest";
import type { ClusterRepositorySpec } from "../../../kinds/kopiur/generated/cluster_repository.ts";
import type { KopiurCaches } from "../caches.ts";
import { clusterRepository, readyNas, SETTINGS, snapshot } from "../testing/samples.ts";
import { placement } from "./placement.ts";

const NAMESPACES: Readonly<Record<string, object>> = {
  billing: { labels: { tier: "gold" } },
  shop: { labels: { tier: "silver" } },
  other: {},
  platform: {},
  holdfast: {},
  leaving: { deletionTimestamp: "2026-05-24T00:00:00Z" },
};
const caches = {
  namespaces: { get: (name: string) => NAMESPACES[name] && { metadata: NAMESPACES[name] } },
} as unknown as Pick<KopiurCaches, "namespaces">;
const from = (hostname: string) => snapshot({ identity: { ...snapshot().identity, hostname } });

const all: Partial<ClusterRepositorySpec> = { allowedNamespaces: { all: true } };
const { catalog } = clusterRepository().spec;
const fallback = (fallbackNamespace: string) => ({ catalog: { ...catalog, fallbackNamespace } });

describe("placement()", () => {
  test("what a Repository holds is shown beside it, whosever it is", () => {
    const place = placement(readyNas(), caches, SETTINGS);
    expect(["billing", "shop", "nowhere"].map((host) => place(from(host)))).toEqual(Array(3).fill("billing"));
  });

  test("and nowhere while its namespace is going", () => {
    const place = placement(readyNas({ metadata: { namespace: "leaving" } }), caches, SETTINGS);
    expect(place(from("billing"))).toBeUndefined();
  });

  test.each<[string, Partial<ClusterRepositorySpec>, string, string | undefined]>([
    ["an allowed namespace", {}, "billing", "billing"],
    ["one that is not allowed", {}, "other", "holdfast"],
    ["none", {}, "laptop", "holdfast"],
    ["one that is going", all, "leaving", "holdfast"],
    ["any, where all are allowed", all, "other", "other"],
    [
      "one that is selected",
      { allowedNamespaces: { selector: { matchLabels: { tier: "gold" } } } },
      "billing",
      "billing",
    ],
    [
      "one that is not selected",
      { allowedNamespaces: { selector: { matchLabels: { tier: "gold" } } } },
      "shop",
      "holdfast",
    ],
    ["none, with a fallback", fallback("platform"), "laptop", "platform"],
    ["none, with a fallback that is not there", fallback("missing"), "laptop", undefined],
  ])("a ClusterRepository's snapshot whose host name is %s", (_, spec, host, wanted) => {
    expect(placement(clusterRepository({ spec }), caches, SETTINGS)(from(host))).toBe(wanted);
  });
});
