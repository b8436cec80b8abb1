import { expect, test } from "vitest";
import { sampleWorld } from "./testing/sample_world.ts";
import { unmanagedGauge } from "./unmanaged_gauge.ts";

test("PVCs that ask for protection and get none are counted by their namespace and the reason", () => {
  const { informers, namespace, claim, store } = sampleWorld();
  const gauge = unmanagedGauge(informers);
  namespace("media");
  namespace("photos", false);
  store(claim("fine"));
  store(claim("wrong", { "pvc-plumber.io/uid": "me" }));
  store(claim("borrowed", { "pvc-plumber.io/backup-identity": "photos/one" }));
  store(claim("one", {}, {}, "photos"));
  store(claim("two", {}, {}, "photos"));
  store(claim("dns", {}, {}, "kube-system"));
  const unlabelled = claim("other");
  store({ ...unlabelled, metadata: { ...unlabelled.metadata, labels: {} } });
  expect([...gauge.read()]).toEqual([
    { labels: { namespace: "media", reason: "InvalidAnnotation" }, value: 1 },
    { labels: { namespace: "media", reason: "IdentityForbidden" }, value: 1 },
    { labels: { namespace: "photos", reason: "MissingLabel" }, value: 2 },
  ]);
});
