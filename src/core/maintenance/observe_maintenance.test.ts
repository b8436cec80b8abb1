import { expect, test } from "vitest";
import { refused, waits } from "../reconcile/problem.ts";
import { gatesOf } from "./observe_maintenance.ts";

const broken = refused("Broken", "a rule is broken");
const unusable = waits("RepositoryNotReady", "it does not answer");
const elsewhere = refused("SharedRepository", "another one maintains it");
const refusal = refused("NotAlone", "others work there");

test.each([
  ["nothing is in the way", {}, undefined, false],
  ["a repository that cannot be used ends no run", { unusable }, unusable, false],
  ["a broken rule ends what runs, and comes first", { broken, unusable, elsewhere }, broken, true],
  ["so does another maintainer", { elsewhere }, elsewhere, true],
  [
    "which shows after what cannot be used, and ends runs all the same",
    { unusable, elsewhere },
    unusable,
    true,
  ],
  ["a run that is refused ends, and keeps no other from beginning", { refusal }, undefined, true],
  ["whoever stops it ends what runs", { stopped: true }, undefined, true],
])("%s", (_, obstacles, problem, cancel) => {
  expect(gatesOf({ stopped: false, ...obstacles })).toEqual({ problem, cancel });
});
