import { describe, expect, test } from "vitest";
import { VirtualClock } from "../lib/virtual_clock.ts";
import { coarseness, Standstill, standstillAt } from "./standstill.ts";

describe("Standstill", () => {
  test("ends what says the same for too long, and only that", async () => {
    const clock = new VirtualClock();
    let ended = 0;
    using standstill = new Standstill(clock, 1000, () => {
      ended += 1;
    });
    for (let bytes = 1; bytes <= 5; bytes++) {
      await clock.advance(900);
      standstill.seen({ bytes });
    }
    expect(ended).toBe(0);
    await clock.advance(900);
    standstill.seen({ bytes: 5 });
    await clock.advance(100);
    expect(ended).toBe(1);
  });

  test("ends what never says anything", async () => {
    const clock = new VirtualClock();
    let ended = false;
    using _ = new Standstill(clock, 1000, () => {
      ended = true;
    });
    await clock.advance(1000);
    expect(ended).toBe(true);
  });

  test("waits for longer where figures are coarse", async () => {
    const clock = new VirtualClock();
    let ended = false;
    using standstill = new Standstill(clock, 1000, () => {
      ended = true;
    });
    standstill.seen({ bytes: 1 }, 500);
    await clock.advance(1499);
    expect(ended).toBe(false);
    await clock.advance(1);
    expect(ended).toBe(true);
  });

  test("ends nothing that is over", async () => {
    const clock = new VirtualClock();
    let ended = false;
    new Standstill(clock, 1000, () => {
      ended = true;
    })[Symbol.dispose]();
    await clock.advance(5000);
    expect(ended).toBe(false);
  });
});

test("standstillAt() allows for limits of speed", () => {
  expect(standstillAt()).toBe(900_000);
  expect(standstillAt({}, 5000)).toBe(5000);
  const minute = (128 * 2 ** 20) / 60;
  expect(standstillAt({ upload: minute }, 5000)).toBeCloseTo(65_000, -2);
  expect(standstillAt({ upload: 1e12, download: minute }, 5000)).toBeCloseTo(65_000, -2);
});

describe("coarseness()", () => {
  test("is what a tenth of the unit takes", () => {
    const found = [0, 999, 5e6, 1.2e9, 3e12].map((bytes) => coarseness({ bytes }));
    expect(found).toEqual([0, 0, 50, 50_000, 50_000_000]);
  });

  test.each([
    ["not of what is taken over as it was", { bytes: 3e12, cachedBytes: 3e12, hashedBytes: 5e6 }, 50],
    ["of what is hashed, though little was taken over", { cachedBytes: 5e6, hashedBytes: 1.2e9 }, 50_000],
    ["of what is hashed, though nothing of it is new", { uploadedBytes: 5e6, hashedBytes: 1.2e9 }, 50_000],
  ])("is that %s", (_, figures, expected) => {
    expect(coarseness(figures)).toBe(expected);
  });

  test("allows for limits of speed", () => {
    const figures = { bytes: 1.2e9 };
    expect(coarseness(figures, { upload: 1e9, download: 1e9 })).toBe(50_000);
    expect(coarseness(figures, { upload: 1e6 })).toBe(100_000);
    expect(coarseness(figures, { upload: 1e6, download: 500_000 })).toBe(200_000);
  });
});
