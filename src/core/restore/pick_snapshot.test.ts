import { describe, expect, test } from "vitest";
import type { Snapshot } from "../../wire/snapshot.ts";
import { passedOver, pickSnapshot, withShrunk } from "./answer.ts";

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
    const candidates = withShrunk(all, { maxShrinkPercent: 50, ...rule });
    expect(pickSnapshot(candidates, {}, NOW)?.id).toBe(id);
    const why = passedOver(candidates, {}, NOW)?.why;
    if (id === "2026-05-04T00:00:00Z") expect(why).toBeUndefined();
    else expect(why).toMatch(/^the source had shrunk to \d+ (bytes|files), from \d+ before$/);
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
