import { expect, test } from "vitest";
import type { Loss } from "../wire/snapshot.ts";
import { withoutVolumeRoot } from "./volume_root.ts";

const loss = (kind: Loss["kind"], count: number, ...examples: string[]): Loss => ({
  kind,
  count,
  examples,
  reason: "not root",
});

test.each<[what: string, place: string, losses: readonly Loss[], left: readonly Loss[]]>([
  ["the volume's own root", "", [loss("Owner", 1, ""), loss("Time", 1, ".")], []],
  ["a path that is restored into the root", "", [loss("Time", 1, "kept")], []],
  ["the root and a file", "", [loss("Owner", 2, "", "a")], [loss("Owner", 1, "a")]],
  ["a file alone", "", [loss("Owner", 1, "a")], [loss("Owner", 1, "a")]],
  ["rights of the root", "", [loss("Mode", 1, "")], [loss("Mode", 1, "")]],
  ["a folder of the volume", "letters", [loss("Owner", 1, "")], [loss("Owner", 1, "")]],
  ["many without names", "", [loss("Owner", 9)], [loss("Owner", 9)]],
])("of %s", (_, place, losses, left) => {
  expect(withoutVolumeRoot(losses, { place, path: "/kept/" })).toEqual(left);
});
