import { expect, test } from "vitest";
import type { KubeObject } from "../object.ts";
import { SharedParts } from "./shared_parts.ts";

interface Thing extends KubeObject {
  readonly status?: { readonly resolved?: object; readonly list?: readonly { readonly who: object }[] };
}

const thing = (name: string, more: object = {}): Thing => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: {
    name,
    uid: name,
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels: { app: "shop" },
  },
  ...more,
});

test("equal parts are one, different ones and all others stay", () => {
  const parts = new SharedParts();
  parts.add([
    ["metadata", "labels"],
    ["status", "resolved"],
    ["status", "list", "0", "who"],
  ]);
  const status = (who: string) => ({ status: { resolved: { a: [1] }, list: [{ who: { name: who } }] } });
  const [one, two, three] = [thing("a", status("x")), thing("b", status("x")), thing("c", status("y"))];
  const before = structuredClone([one, two, three]);
  for (const object of [one, two, three]) expect(parts.share(object)).toBe(object);
  expect([one, two, three]).toEqual(before);
  expect(two.metadata.labels).toBe(one.metadata.labels);
  expect(two.status?.resolved).toBe(one.status?.resolved);
  expect(two.status?.list?.[0]?.who).toBe(one.status?.list?.[0]?.who);
  expect(three.status?.list?.[0]?.who).not.toBe(one.status?.list?.[0]?.who);
  expect(two.metadata).not.toBe(one.metadata);
});

test("objects without such a part are left alone", () => {
  const parts = new SharedParts();
  parts.add([["status", "resolved"]]);
  expect(parts.share(thing("a"))).toEqual(thing("a"));
  expect(parts.share(thing("a", { status: { resolved: "text" } }))).toEqual(
    thing("a", { status: { resolved: "text" } }),
  );
});
