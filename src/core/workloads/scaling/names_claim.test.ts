import { expect, test } from "vitest";
import { namesClaim } from "./names_claim.ts";

const object = (spec: object) => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "db", uid: "u", resourceVersion: "1", creationTimestamp: "" },
  spec,
});
const mounting = (claimName: string) =>
  object({ template: { spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] } } });
const templated = object({ volumeClaimTemplates: [{ metadata: { name: "data" } }] });

test.each([
  ["a volume of its pods", mounting("files"), "files", true],
  ["another volume", mounting("files"), "other", false],
  ["a claim from its template", templated, "data-db-0", true],
  ["a claim from its template, of a high ordinal", templated, "data-db-12", true],
  ["a claim of another set", templated, "data-db-x-0", false],
  ["a claim that is named alike", templated, "data-db-", false],
  ["nothing", object({}), "data", false],
])("%s", (_, workload, claim, named) => {
  expect(namesClaim(workload, claim)).toBe(named);
});
