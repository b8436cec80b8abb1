import { expect, test } from "vitest";
import type { VolumeView } from "../../../src/core/view/view.ts";
import { otherFailures, wants } from "./wants.ts";

const object = { kind: "Repository", namespace: "home", name: "nas" };
const volume = (name: string, protection: VolumeView["protection"], ...wrong: string[]): VolumeView => ({
  namespace: "home",
  name,
  protection,
  by: [],
  wrong,
});

test("the worst is first: lost, unprotected, without a backup yet, problems, then what is wrong elsewhere", () => {
  const found = wants({
    volumes: [
      volume("fine", "yes"),
      volume("late", "yes", "The last backup failed."),
      volume("young", "not yet"),
      volume("bare", "no"),
      volume("meant", "exempt"),
    ],
    problems: [{ object, why: "It does not answer", remedy: "Check the network" }],
    lost: [{ claim: "home/gone", lastGood: { object, claim: "home/gone", at: "" }, restore: "restore x" }],
  });
  expect(found.map(({ kind, title }) => `${kind} ${title}`)).toEqual([
    "lost home/gone",
    "volume home/bare",
    "volume home/young",
    "problem Repository home/nas",
    "volume home/late",
  ]);
  expect(found.map(({ why }) => why)[4]).toBe("The last backup failed.");
  expect(found[3]?.fix).toBe("Check the network");
});

test("a failure that is named as a problem is not named twice", () => {
  const other = { ...object, name: "other" };
  const failures = [object, other].map((object) => ({ object, message: "no" }));
  expect(otherFailures(failures, [{ object, why: "no" }])).toEqual([failures[1]]);
});
