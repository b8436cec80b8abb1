import { expect, test } from "vitest";
import type { Found } from "../../kube/cache/found.ts";
import type { KubeObject } from "../../kube/object.ts";
import { crossingProblem } from "./crossing.ts";
import { LENT_SECRET, lentSecret, lentSecretKind } from "./lent_secret.ts";

const metadata = { uid: "u", resourceVersion: "1", creationTimestamp: "2026-05-24T12:00:00Z" };
const platform = (names?: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { ...metadata, name: "platform", ...(names ? { annotations: { "x/lendable": names } } : {}) },
});
const lender = (consents?: string): KubeObject => ({
  apiVersion: "strategies.example.com/v1",
  kind: "Strategy",
  metadata: {
    ...metadata,
    name: "dumps",
    ...(consents ? { annotations: { "strategies.example.com/consented-references": consents } } : {}),
  },
});

test.each<[string, Found<KubeObject>, string | undefined, boolean, string | undefined]>([
  ["nobody consents", platform(), undefined, true, "LendingForbidden"],
  ["its namespace lists others", platform("a,buckets"), undefined, true, "LendingForbidden"],
  ["its namespace lists it", platform("a, bucket"), undefined, false, undefined],
  ["admission found that its author may get it", platform(), "LentSecret/platform/bucket", true, undefined],
  ["nobody could have checked that", platform(), "LentSecret/platform/bucket", false, "LendingForbidden"],
  ["its author may get another", platform(), "LentSecret/platform/other", true, "LendingForbidden"],
  ["its namespace does not exist", "absent", undefined, true, "NamespaceNotFound"],
])("a Secret is lent where %s: %#", (_, found, consents, guarded, reason) => {
  const around = { namespace: () => found };
  const kinds = { [LENT_SECRET]: lentSecretKind(around, "x/lendable") };
  const rules = { ...around, repositoryList: "", kinds };
  const crossings = lentSecret({ namespace: "platform", name: "bucket" }, "spec.secretRef");
  expect(crossingProblem(lender(consents), crossings, { rules, guarded })?.reason).toBe(reason);
});

test("what names no Secret lends none", () => {
  expect(lentSecret(undefined, "spec.secretRef")).toEqual([]);
});
