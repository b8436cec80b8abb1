import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import { SETTINGS, snapshot } from "../testing/samples.ts";
import { placement } from "./placement.ts";
import { catalogNas, catalogShared } from "./testing/samples.ts";

const NAMESPACES: Readonly<Record<string, object>> = {
  billing: { labels: { tier: "gold" } },
  shop: { labels: { tier: "silver" } },
  other: {},
  platform: {},
  holdfast: {},
  leaving: { deletionTimestamp: "2026-05-24T00:00:00Z" },
};
const namespaceOf = (name: string) => NAMESPACES[name] && ({ metadata: NAMESPACES[name] } as KubeObject);
const from = (hostname: string) => snapshot({ identity: { ...snapshot().identity, hostname } });

type Spec = NonNullable<Parameters<typeof catalogShared>[0]>;
const all: Spec = { allowedNamespaces: { all: true } };
const fallback = (fallbackNamespace: string): Spec => ({ catalog: { fallbackNamespace } });

describe("placement()", () => {
  test("what a repository of a namespace holds is shown beside it, whosever it is", () => {
    const place = placement(catalogNas(), namespaceOf, SETTINGS);
    expect(["billing", "shop", "nowhere"].map((host) => place(from(host)))).toEqual(Array(3).fill("billing"));
  });

  test("and nowhere while its namespace is going", () => {
    const place = placement(catalogNas({ metadata: { namespace: "leaving" } }), namespaceOf, SETTINGS);
    expect(place(from("billing"))).toBeUndefined();
  });

  test.each<[string, Spec, string, string | undefined]>([
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
  ])("a snapshot of a repository of the whole cluster whose host name is %s", (_, spec, host, wanted) => {
    expect(placement(catalogShared(spec), namespaceOf, SETTINGS)(from(host))).toBe(wanted);
  });
});
