import { describe, expect, test } from "vitest";
import type { BackupConfigSpec } from "../../../kinds/kopiur/generated/backup_config.ts";
import { config } from "../testing/samples.ts";
import { isMultiNamespace, MOST_NAMESPACES, namespaceLimits, sourcesByNamespace } from "./namespaces_of.ts";

type Sources = BackupConfigSpec["sources"];
const named = { pvc: { name: "data" }, sourcePathStrategy: "PVCName" } as const;
const labelSelector = { matchLabels: { app: "shop" } };
const selected = (matchNames?: readonly string[]): Sources[number] => ({
  pvcSelector: { labelSelector, ...(matchNames ? { namespaceSelector: { matchNames } } : {}) },
  sourcePathStrategy: "PVCName",
});
const local = { pvcSelector: { labelSelector }, sourcePathStrategy: "PVCName" };

describe("the reach of a BackupConfig", () => {
  test.each<[string, Sources, boolean]>([
    ["a claim by name", [named], false],
    ["a selector without namespaces", [selected()], false],
    ["a selector of its own namespace", [selected(["billing"])], false],
    ["a selector of another namespace", [selected(["shop"])], true],
    ["a selector of both", [named, selected(["billing", "shop"])], true],
  ])("%s", (_, sources, reaches) => {
    expect(isMultiNamespace(config({ spec: { sources } }))).toBe(reaches);
  });

  test("says of each namespace what a BackupConfig there would say", () => {
    const sources = [named, selected(["shop", "billing"]), selected(["shop"]), selected()];
    expect([...sourcesByNamespace(config({ spec: { sources } }))]).toEqual([
      ["billing", [named, local, local]],
      ["shop", [local, local]],
    ]);
  });
});

describe("what a BackupConfig for several namespaces cannot ask for", () => {
  const limits = (sources: Sources, spec: Partial<BackupConfigSpec> = {}, watched?: string) =>
    namespaceLimits(config({ spec: { sources, ...spec } }), watched).map(({ reason, field }) => [
      reason,
      field,
    ]);
  const both = [named, selected(["billing", "shop"])];
  const many = Array.from({ length: MOST_NAMESPACES + 1 }, (_, n) => `team-${n}`);
  const snapshot = { copyMethod: "Snapshot" } as const;
  const field = "spec.sources[1].pvcSelector.namespaceSelector.matchNames";
  test.each<[string, Sources, Partial<BackupConfigSpec>, string | undefined, readonly (readonly string[])[]]>(
    [
      ["nothing, of volumes that are read as they are", both, {}, undefined, []],
      ["one moment for all of them", both, snapshot, undefined, [["GroupAcrossNamespaces", "spec.groupBy"]]],
      ["nothing, each at its own moment", both, { ...snapshot, groupBy: "None" }, undefined, []],
      ["nothing, of one other namespace alone", [selected(["shop"])], snapshot, undefined, []],
      [
        "anything of an operator of one namespace",
        both,
        {},
        "billing",
        [["CrossNamespaceUnsupported", field]],
      ],
      [
        "more namespaces than a status tells of",
        [named, selected(many)],
        {},
        undefined,
        [["TooManyNamespaces", field]],
      ],
      ["nothing, within its own namespace", [selected(["billing"])], snapshot, "billing", []],
    ],
  )("%s", (_, sources, spec, watched, found) => {
    expect(limits(sources, spec, watched)).toEqual(found);
  });
});
