import { expect, test } from "vitest";
import { claimsOfApplication } from "./claims_of_application.ts";

const meta = (name: string, more: object = {}) => ({
  name,
  namespace: "tenant",
  uid: `uid-${name}`,
  resourceVersion: "1",
  creationTimestamp: "2026-05-24T11:59:00Z",
  ...more,
});
const claim = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: meta(name, more),
});
const owner = { apiVersion: "apps.cozystack.io/v1", kind: "Postgres", name: "db", uid: "uid-db" };
const postgres = { apiVersion: "apps.cozystack.io/v1", kind: "Postgres", metadata: meta("db") };
const set = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: meta("db"),
  spec: {
    volumeClaimTemplates: [{ metadata: { name: "data" } }],
    template: { spec: { volumes: [{ persistentVolumeClaim: { claimName: "shared" } }, { emptyDir: {} }] } },
  },
};

const claims = [
  claim("shared"),
  claim("data-db-0"),
  claim("data-db-10"),
  claim("data-db-x"),
  claim("data-dbb-0"),
  claim("owned", { ownerReferences: [owner] }),
  claim("labelled", { labels: { app: "db", tier: "data" } }),
  claim("half", { labels: { app: "db" } }),
  claim("released", { labels: { "app.kubernetes.io/instance": "db" } }),
  claim("leaving", { ownerReferences: [owner], deletionTimestamp: "2026-05-24T11:59:30Z" }),
  claim("elsewhere", { namespace: "other", ownerReferences: [owner] }),
];

test.each([
  ["owned by it", postgres, {}, ["owned"]],
  ["with all of its labels", postgres, { matchLabels: { app: "db", tier: "data" } }, ["labelled", "owned"]],
  ["of its release", postgres, { release: "db" }, ["owned", "released"]],
  ["that a StatefulSet makes or mounts", set, {}, ["data-db-0", "data-db-10", "owned", "shared"]],
])("an application has the PVCs %s", (_, application, rules, names) => {
  expect(claimsOfApplication(application, claims, rules).map(({ metadata }) => metadata.name)).toEqual(names);
});
