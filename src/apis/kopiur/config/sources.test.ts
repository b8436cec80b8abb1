import { describe, expect, test } from "vitest";
import { primeMeta } from "../../../core/volumes/populator/population_marks.ts";
import { STAGED_FOR } from "../../../core/volumes/staging/staged_marks.ts";
import { RUN_LABEL } from "../../../core/work/run_labels.ts";
import type { BackupConfigSpec } from "../../../kinds/kopiur/generated/backup_config.ts";
import { restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import type { KubeObject, ObjectMeta } from "../../../kube/object.ts";
import { config, repository } from "../testing/samples.ts";
import { sourcesOf } from "./sources.ts";

const { backend } = repository().spec;
type Source = BackupConfigSpec["sources"][number];

function claim(name: string, more: Partial<ObjectMeta> = {}): KubeObject {
  const { metadata } = config();
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...metadata, name, labels: { app: "shop" }, ...more },
  };
}

const named = (name: string, more: Partial<Source> = {}): Source => ({
  pvc: { name },
  sourcePathStrategy: "PVCName",
  ...more,
});
const selected = (pvcSelector: NonNullable<Source["pvcSelector"]> = {}): Source => ({
  pvcSelector,
  sourcePathStrategy: "PVCNamespacedName",
});

const resolve = (sources: readonly Source[], claims: readonly KubeObject[] = []) =>
  sourcesOf({ config: config({ spec: { sources } }), backend, claims });

describe("sourcesOf()", () => {
  test("keeps the order in which claims are named, whether they are there or not", () => {
    expect(resolve([named("logs"), named("data", { sourcePathOverride: "/data" })])).toEqual({
      ok: true,
      value: [
        { pvc: "billing/logs", sourcePath: "/pvc/logs" },
        { pvc: "billing/data", sourcePath: "/data" },
      ],
    });
  });

  test("takes what a selector selects by name, each once", () => {
    const labelSelector = { matchLabels: { app: "shop" } };
    const claims = [claim("b"), claim("a"), claim("other", { labels: { app: "blog" } })];
    expect(resolve([named("b"), selected({ labelSelector })], claims)).toMatchObject({
      value: [
        { pvc: "billing/b", sourcePath: "/pvc/b" },
        { pvc: "billing/a", sourcePath: "/pvc/billing/a" },
      ],
    });
  });

  test.each([
    ["what is staged for a backup", claim("x", { labels: { [STAGED_FOR]: "uid" } })],
    ["a cache of a run", claim("x", { labels: { [RUN_LABEL]: "run" } })],
    [
      "what a claim is filled through",
      claim("x", primeMeta(claim("data"), { resource: restoreResource, name: "again" })),
    ],
    ["what is going", claim("x", { deletionTimestamp: "2026-05-24T02:13:00Z" })],
    ["the repository itself", claim("store")],
  ])("a selector leaves out %s", (_, left) => {
    expect(resolve([selected()], [left, claim("a")])).toMatchObject({ value: [{ pvc: "billing/a" }] });
  });

  test("somebody may name the namespace that it is anyway", () => {
    const namespaceSelector = { matchNames: ["billing"] };
    expect(resolve([selected({ namespaceSelector })], [claim("a")])).toMatchObject({ ok: true });
  });

  const many = Array.from({ length: 17 }, (_, n) => claim(`c${n}`));
  test.each<[string, readonly Source[], readonly KubeObject[], string, string]>([
    ["nothing matches", [selected()], [], "NoSources", "structural"],
    ["too much matches", [selected()], many, "TooManySources", "structural"],
    [
      "two claims share a path",
      [named("a", { sourcePathOverride: "/d" }), named("b", { sourcePathOverride: "/d" })],
      [],
      "IdentityCollision",
      "terminal",
    ],
  ])("says so when %s", (_, sources, claims, reason, kind) => {
    expect(resolve(sources, claims)).toMatchObject({ ok: false, error: { reason, class: kind } });
  });
});
