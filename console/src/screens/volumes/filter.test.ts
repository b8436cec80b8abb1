import { expect, test } from "vitest";
import type { VolumeView } from "../../../../src/core/view/view.ts";
import { apisOf, filteredVolumes, worstFirst } from "./filter.ts";

const by = (api: string) => [{ kind: "BackupConfig", name: "a", api }];
const volumes: readonly VolumeView[] = [
  { namespace: "home", name: "documents", protection: "yes", by: by("kopiur"), wrong: [] },
  { namespace: "home", name: "photos", protection: "no", by: [], wrong: [] },
  {
    namespace: "shop",
    name: "orders",
    protection: "yes",
    by: by("velero"),
    wrong: ["The last backup failed."],
  },
];

test.each([
  [{}, ["documents", "photos", "orders"]],
  [{ state: "no" }, ["photos"]],
  [{ state: "wanting" }, ["photos", "orders"]],
  [{ api: "velero" }, ["orders"]],
  [{ text: "HOME doc" }, ["documents"]],
  [{ text: "shop", state: "no" }, []],
])("filtered by %j", (filter, names) => {
  expect(filteredVolumes(volumes, filter).map(({ name }) => name)).toEqual(names);
});

test("sorted, those without backups come first, then those with something wrong", () => {
  const young: VolumeView = {
    namespace: "home",
    name: "young",
    protection: "not yet",
    by: [],
    wrong: ["It waits."],
  };
  const sorted = [...volumes, young].toSorted((a, b) => worstFirst(a) - worstFirst(b));
  expect(sorted.map(({ name }) => name)).toEqual(["photos", "young", "orders", "documents"]);
  expect(apisOf(volumes)).toEqual(["kopiur", "velero"]);
});
