import { expect, test } from "vitest";
import { RUN_TAG } from "../../wire/tags.ts";
import { companionOf } from "./companion.ts";
import { type Manifest, parseManifest } from "./manifest.ts";
import { orphans } from "./orphans.ts";

const DAY = 86_400_000;
const NOW = Date.parse("2026-03-10T12:00:00Z");
const IDENTITY = { username: "u", hostname: "h", path: "/p" };

function made(id: string, run: string, daysAgo: number, { username, hostname, path } = IDENTITY): Manifest {
  return parseManifest({
    ...{ id, source: { userName: username, host: hostname, path }, tags: { [`tag:${RUN_TAG}`]: run } },
    ...{ startTime: new Date(NOW - daysAgo * DAY).toISOString(), rootEntry: { type: "d", obj: "k" } },
  }) as Manifest;
}

const data = (run: string, daysAgo: number) => made(`data-${run}`, run, daysAgo);
const companion = (run: string, daysAgo: number) => made(run, run, daysAgo, companionOf(IDENTITY));

test.each<[string, readonly Manifest[], readonly string[]]>([
  ["one older than four weeks goes", [companion("a", 29), data("b", 0)], ["a"]],
  ["a younger one stays, whose backup may be under way", [companion("a", 27), data("b", 0)], []],
  ["one with its data stays, however old", [companion("a", 90), data("a", 90), data("b", 0)], []],
  ["the data of another run is not its own", [companion("a", 29), data("b", 29), data("c", 0)], ["a"]],
  ["one that is old by this machine's clock alone stays", [companion("a", 48), data("b", 40)], []],
  ["one that is old beside a snapshot from the future stays", [companion("a", 1), data("b", -90)], []],
  ["an empty repository has none", [], []],
])("of companions without data, %s", (_, manifests, wanted) => {
  expect(orphans(manifests, NOW)).toEqual(wanted);
});

test("companions of runs that have ended go at once, if their data is gone", () => {
  const manifests = [companion("a", 1), companion("b", 1), companion("c", 1), data("b", 1), data("d", 0)];
  expect(orphans(manifests, NOW, new Set(["a", "b", "d"]))).toEqual(["a"]);
});
