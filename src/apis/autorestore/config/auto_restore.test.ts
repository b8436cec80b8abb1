import { expect, test } from "vitest";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import { claimed, NOW, sampleConfig } from "../testing/samples.ts";
import { decideAutoRestore } from "./auto_restore.ts";

const config = sampleConfig({ autoRestore: true });
const decided = (uid: string) => claimed("data", { annotations: { [ANNOTATIONS.autoRestore]: uid } });

test.each([
  ["a new PVC is restored", config, claimed("data"), "Restore"],
  ["not where nobody wants it", sampleConfig(), claimed("data"), "None"],
  ["never twice", config, decided("uid-data"), "None"],
  ["a new PVC of an old name is another one", config, decided("uid-before"), "Restore"],
  [
    "an old PVC has data of its own",
    config,
    claimed("data", { creationTimestamp: "2026-05-24T11:00:00Z" }),
    "Skip",
  ],
  [
    "an old PVC without a volume has none",
    config,
    { ...claimed("data", { creationTimestamp: "2026-05-24T11:00:00Z" }), status: { phase: "Pending" } },
    "Restore",
  ],
  [
    "a PVC with a data source is filled from that",
    config,
    { ...claimed("data"), spec: { dataSourceRef: { kind: "Restore", name: "r" } } },
    "Skip",
  ],
  [
    "a block device takes no files, and its workload is left alone",
    config,
    { ...claimed("data"), spec: { volumeMode: "Block" } },
    "Skip",
  ],
])("decideAutoRestore(): %s", (_, given, claim, type) => {
  expect(decideAutoRestore(given, claim, NOW).type).toBe(type);
});
