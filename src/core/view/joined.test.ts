import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import { PRIME_FOR } from "../volumes/populator/population_marks.ts";
import { CAPTURED_FOR, STAGED_FOR } from "../volumes/staging/staged_marks.ts";
import { coverageCounts, EXEMPT, newestOf, viewOf, volumeViews } from "./joined.ts";
import type { Coverage, ProtectionLevel, ProtectionView, ViewPart } from "./view.ts";

const object = (kind: string, name: string, more: Partial<KubeObject["metadata"]> = {}): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, uid: name, resourceVersion: "1", creationTimestamp: "2026-05-24T00:00:00Z", ...more },
});
const claim = (name: string, more: Partial<KubeObject["metadata"]> = {}) =>
  object("PersistentVolumeClaim", name, { namespace: "home", ...more });
const part = (more: Partial<ViewPart> = {}): ViewPart => ({
  unnamed: "no Plan names it",
  stores: new Set(),
  protections: () => [],
  snapshots: () => [],
  repositories: () => [],
  schedules: () => [],
  activity: () => [],
  problems: () => [],
  ...more,
});
const plan = (name: string) => ({ kind: "Plan", namespace: "home", name });
const protection = (level: ProtectionLevel, more: Partial<ProtectionView> = {}): ProtectionView => ({
  claim: "home/data",
  level,
  by: level === "no" ? [] : [plan("nightly")],
  wrong: [],
  ...more,
});
const saying = (api: string, ...all: readonly ProtectionView[]) => ({
  api,
  part: part({ protections: () => all }),
});
const at = (time: string, name = "b") => ({
  object: { kind: "Backup", namespace: "home", name },
  claim: "home/data",
  at: `2026-05-24T${time}:00Z`,
});

describe("what APIs say of one volume", () => {
  test.each<[what: string, levels: readonly ProtectionLevel[], best: ProtectionLevel, coverage: Coverage]>([
    ["nobody knows it", [], "no", "unprotected"],
    ["there was a backup, and nothing asks for another", ["no"], "no", "unprotected"],
    ["it was never backed up", ["not yet"], "not yet", "unprotected"],
    ["it is backed up by hand", ["by hand"], "by hand", "by_hand"],
    ["its schedules may not be looked at", ["elsewhere"], "elsewhere", "by_hand"],
    ["it has a backup and a schedule", ["yes"], "yes", "protected"],
    ["one API protects it, and another does not yet", ["not yet", "yes"], "yes", "protected"],
    ["one backs it up by hand, another by schedule", ["yes", "by hand"], "yes", "protected"],
    ["one backs it up by hand, another not yet", ["by hand", "not yet"], "by hand", "by_hand"],
  ])("%s", (_, levels, best, coverage) => {
    const parts = levels.map((level, index) => saying(`api${index}`, protection(level)));
    const [volume] = volumeViews({ claims: [claim("data")], namespaces: [], parts });
    expect(volume).toMatchObject({ namespace: "home", name: "data", protection: best, coverage });
  });

  test("all that protect it are named, with the newest backup, the next run, and what is wrong with any", () => {
    const parts = [
      saying("one", protection("yes", { lastGood: at("03:00"), nextRun: "2026-05-26T03:00:00Z" })),
      saying(
        "two",
        protection("not yet", {
          by: [plan("other")],
          lastGood: at("05:00", "late"),
          nextRun: "2026-05-25T03:00:00Z",
          wrong: ["it failed"],
        }),
      ),
    ];
    expect(volumeViews({ claims: [claim("data")], namespaces: [], parts })).toEqual([
      {
        namespace: "home",
        name: "data",
        protection: "yes",
        coverage: "protected",
        by: [
          { api: "one", ...plan("nightly") },
          { api: "two", ...plan("other") },
        ],
        lastGood: at("05:00", "late"),
        nextRun: "2026-05-25T03:00:00Z",
        wrong: ["it failed"],
      },
    ]);
  });

  test("one that nothing names says so in the words of each API", () => {
    const parts = [saying("one"), { api: "two", part: part({ unnamed: "no Schedule selects it" }) }];
    const [volume] = volumeViews({ claims: [claim("data")], namespaces: [], parts });
    expect(volume?.wrong).toEqual(["no Plan names it; no Schedule selects it"]);
    expect(volume).not.toHaveProperty("unseen");
  });

  test("one that nothing names may be protected by what may not be looked at", () => {
    const hidden = { api: "two", part: part({ hidden: true }) };
    const unseen = (...parts: readonly ReturnType<typeof saying>[]) =>
      volumeViews({ claims: [claim("data")], namespaces: [], parts: [...parts, hidden] })[0]?.unseen;
    expect(unseen()).toBe(true);
    expect(unseen(saying("one", protection("not yet")))).toBeUndefined();
  });
});

describe("an exemption", () => {
  const exempt = { annotations: { [EXEMPT]: "a cache" } };
  test.each<[what: string, onClaim: object, onNamespace: object, level: ProtectionLevel, shown: object]>([
    ["of the volume", exempt, {}, "no", { coverage: "exempt", exempt: "a cache", wrong: [] }],
    ["of its namespace", {}, exempt, "no", { coverage: "exempt", exempt: "a cache", wrong: [] }],
    [
      "of the volume, before that of its namespace",
      { annotations: { [EXEMPT]: "scratch" } },
      exempt,
      "no",
      { exempt: "scratch" },
    ],
    ["of one that has no backup yet", exempt, {}, "not yet", { coverage: "exempt" }],
    [
      "of one that is protected all the same",
      exempt,
      {},
      "yes",
      { coverage: "protected", protection: "yes" },
    ],
    ["of one that is backed up by hand", exempt, {}, "by hand", { coverage: "by_hand" }],
  ])("%s", (_, onClaim, onNamespace, level, shown) => {
    const [volume] = volumeViews({
      claims: [claim("data", onClaim)],
      namespaces: [object("Namespace", "home", onNamespace), object("Namespace", "other", exempt)],
      parts: [saying("one", protection(level))],
    });
    expect(volume).toMatchObject(shown);
  });
});

test("those of runs are left out, those of repositories do not count, and those in danger come first", () => {
  const claims = [
    claim("shelf"),
    claim("data"),
    claim("scratch", { annotations: { [EXEMPT]: "" } }),
    claim("attic"),
    claim("copy", { labels: { [STAGED_FOR]: "u" } }),
    claim("prime", { annotations: { [PRIME_FOR]: "u" } }),
    claim("selected", { labels: { [STAGED_FOR]: "u", [CAPTURED_FOR]: "u" } }),
  ];
  const parts = [
    { api: "one", part: part({ stores: new Set(["home/shelf"]), protections: () => [protection("yes")] }) },
  ];
  const volumes = volumeViews({ claims, namespaces: [], parts });
  expect(volumes.map(({ name, protection: level }) => [name, level])).toEqual([
    ["attic", "no"],
    ["selected", "no"],
    ["data", "yes"],
    ["scratch", "exempt"],
    ["shelf", "store"],
  ]);
  expect(coverageCounts(volumes)).toEqual({ protected: 1, by_hand: 0, exempt: 1, unprotected: 2 });
});

test("what is in no row of a volume is told of all APIs", () => {
  const problem = (name: string) => ({ object: plan(name), why: "broken" });
  const parts = ["one", "two"].map((api) => ({ api, part: part({ problems: () => [problem(api)] }) }));
  expect(viewOf({ claims: [], namespaces: [], parts }).problems).toEqual([problem("one"), problem("two")]);
});

test("of several at the same time the first is the newest", () => {
  expect(newestOf([at("01:00"), at("03:00", "first"), at("03:00", "second")])?.object.name).toBe("first");
  expect(newestOf([])).toBeUndefined();
});
