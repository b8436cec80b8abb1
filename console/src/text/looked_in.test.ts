import { expect, test } from "vitest";
import { lookedIn } from "./looked_in.ts";

test.each([
  ["all that may be looked at", undefined, { namespace: "away", volume: "away/data" }, undefined],
  ["where the snapshot is", "home", { namespace: "away", volume: "shop/data" }, "away"],
  ["where the volume is", "home", { volume: "away/data" }, "away"],
  ["nothing that is named", "home", {}, undefined],
])("snapshots are looked for in %s", (_, home, looking, namespace) => {
  expect(lookedIn(home, looking)).toBe(namespace);
});
