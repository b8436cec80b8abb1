import { describe, expect, test } from "vitest";
import type { Snapshot } from "../../wire/snapshot.ts";
import { passedOver, pickSnapshot, withShrunk } from "./answer.ts";
import type { ShrinkRule } from "./resolution.ts";

describe("pickSnapshot()", () => {
  const NOW = Date.parse("2026-05-10T00:00:00Z");
  const at = (startedAt: string, more: Partial<Snapshot> = {}): Snapshot => ({
    id: startedAt,
    identity: { username: "u", hostname: "h", path: "/p" },
    tags: {},
    startedAt,
    root: "r",
    fidelity: "Full",
    ...more,
  });
  const days = ["2026-05-03T00:00:00Z", "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z"].map((day) => at(day));

  test.each([
    ["the newest", {}, "2026-05-03T00:00:00Z"],
    ["the one before", { offset: 1 }, "2026-05-02T00:00:00Z"],
    ["the newest at a time", { asOf: "2026-05-02T12:00:00Z" }, "2026-05-02T00:00:00Z"],
    ["one at that very time", { asOf: "2026-05-02T00:00:00Z" }, "2026-05-02T00:00:00Z"],
    ["from a time back", { asOf: "2026-05-02T12:00:00Z", offset: 1 }, "2026-05-01T00:00:00Z"],
    ["none that far back", { offset: 3 }, undefined],
    ["none before the first", { asOf: "2026-04-01T00:00:00Z" }, undefined],
  ])("takes %s", (_, point, id) => {
    expect(pickSnapshot(days, point, NOW)?.id).toBe(id);
  });

  test.each([
    ["is empty", { bytes: 0, files: 0 }, {}, "2026-05-03T00:00:00Z"],
    ["has lost most of its files", { bytes: 100, files: 1 }, {}, "2026-05-03T00:00:00Z"],
    ["is a little smaller", { bytes: 60, files: 6 }, {}, "2026-05-04T00:00:00Z"],
    ["is small, as somebody accepted", { bytes: 0 }, { accepted: "r" }, "2026-05-04T00:00:00Z"],
    ["may be as small as it is", { bytes: 0 }, { maxShrinkPercent: 100 }, "2026-05-04T00:00:00Z"],
  ])("of the newest, which %s", (_, size, rule, id) => {
    const before = days.map((day) => ({ ...day, bytes: 100, files: 10 }));
    const all = [at("2026-05-04T00:00:00Z", { ...size, run: "r" }), ...before];
    const candidates = withShrunk({ snapshots: all }, { maxShrinkPercent: 50, ...rule });
    expect(pickSnapshot(candidates, {}, NOW)?.id).toBe(id);
    const why = passedOver(candidates, {}, NOW)?.why;
    if (id === "2026-05-04T00:00:00Z") expect(why).toBeUndefined();
    else expect(why).toMatch(/^the source had shrunk to \d+ (bytes|files), from \d+ before$/);
  });

  describe("of a list in which all are small", () => {
    const small = days.map((day) => ({ ...day, bytes: 1, run: day.id }));
    const before = Date.parse("2026-04-01T00:00:00Z");
    const older = Array.from({ length: 9 }, (_, i) => [before / 1000 + i * 60, 100] as const);
    const smaller = { measure: "bytes", size: 1, usual: 100 } as const;
    const rule = { maxShrinkPercent: 50 };
    const taken = (listed: Parameters<typeof withShrunk>[0], more: Partial<ShrinkRule> = {}) =>
      pickSnapshot(withShrunk(listed, { ...rule, ...more }), {}, NOW)?.id;

    test("none is taken where the ones before it were far larger, or Backups know that it shrank", () => {
      expect(taken({ snapshots: small, older })).toBeUndefined();
      expect(
        taken({ snapshots: small }, { known: new Map(small.map(({ id }) => [id, smaller])) }),
      ).toBeUndefined();
      const [newest] = small;
      expect(taken({ snapshots: small }, { known: new Map([[newest?.id ?? "", smaller]]) })).toBe(
        small[2]?.id,
      );
    });

    test("the newest is taken where that was so already, or somebody accepted it since", () => {
      expect(taken({ snapshots: small })).toBe("2026-05-03T00:00:00Z");
      const grown = older.map(([at]) => [at, 1] as const);
      expect(taken({ snapshots: small, older: grown })).toBe("2026-05-03T00:00:00Z");
      expect(taken({ snapshots: small, older }, { measuredFrom: before + 3_600_000 })).toBe(
        "2026-05-03T00:00:00Z",
      );
    });
  });

  test("does not take one from the future for the newest", () => {
    const future = at("2027-01-01T00:00:00Z");
    expect(pickSnapshot([future, ...days], {}, NOW)?.id).toBe("2026-05-03T00:00:00Z");
    expect(pickSnapshot([future, ...days], { asOf: "2027-02-01T00:00:00Z" }, NOW)?.id).toBe(future.id);
  });

  test("does not take one that was made before a restore, of what that overwrote", () => {
    const safety = at("2026-05-04T00:00:00Z", { tags: { "before-restore": "again" } });
    expect(pickSnapshot([safety, ...days], {}, NOW)?.id).toBe("2026-05-03T00:00:00Z");
    expect(passedOver([safety, ...days], {}, NOW)?.why).toBe(
      "it was made before a restore, of what that overwrote",
    );
  });

  test("does not take one that is not whole", () => {
    expect(
      pickSnapshot([at("2026-05-04T00:00:00Z", { incomplete: "cancelled" }), ...days], {}, NOW)?.id,
    ).toBe("2026-05-03T00:00:00Z");
  });

  const half = at("2026-05-04T00:00:00Z", { incomplete: "cancelled" });
  const ahead = at("2026-05-10T00:10:00Z");

  test.each<[string, readonly Snapshot[], { asOf?: string }, string | undefined]>([
    ["one from the future", [ahead], {}, "from the future"],
    ["one that is not whole", [half], {}, "cancelled"],
    ["one that is not whole, at a time after it", [half], { asOf: "2026-05-05T00:00:00Z" }, "cancelled"],
    ["one whose time nobody can read", [at("yesterday")], {}, "from the future"],
    ["none that are whole, and of the past", days, {}, undefined],
    ["none that are later than the time", [half, ahead], { asOf: "2026-05-01T00:00:00Z" }, undefined],
  ])("passes over %s", (_, snapshots, point, why) => {
    const passed = passedOver(snapshots, point, NOW);
    if (why === undefined) expect(passed).toBeUndefined();
    else expect(passed?.why).toContain(why);
  });
});
