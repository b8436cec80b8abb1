import fc from "fast-check";
import { expect, test } from "vitest";
import { parseCron } from "./cron.ts";
import { fireTime } from "./jitter.ts";

const MINUTE = 60_000;
const cronOf = (expression: string) => {
  const parsed = parseCron({ expression, zone: "Europe/Berlin", seed: "" });
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
};

test("fireTime() stays within the window and before the next slot, in whole seconds", () => {
  const expression = fc.constantFrom("* * * * *", "*/5 * * * *", "30 2 * * *", "0 0 1 * *");
  const start = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2030, 0) });
  fc.assert(
    fc.property(expression, fc.uuid(), fc.nat(200 * MINUTE), start, (text, uid, window, after) => {
      const cron = cronOf(text);
      const slot = cron.next(after) ?? 0;
      const time = fireTime(cron, slot, { uid, window });
      expect(time).toBeGreaterThanOrEqual(slot);
      expect(time - slot).toBeLessThan(Math.max(window, 1));
      expect(time).toBeLessThan(cron.next(slot) ?? 0);
      expect((time - slot) % 1000).toBe(0);
      expect(fireTime(cronOf(text), slot, { uid, window })).toBe(time);
    }),
  );
});

test("it differs between schedules, and between the slots of one", () => {
  const cron = cronOf("0 2 * * *");
  const slots = cron.slotsBetween(Date.UTC(2026, 0), Date.UTC(2027, 0), 100);
  const offsets = slots.map((slot) => fireTime(cron, slot, { uid: "a", window: 30 * MINUTE }) - slot);
  expect(new Set(offsets).size).toBeGreaterThan(80);
  expect(Math.max(...offsets)).toBeGreaterThan(25 * MINUTE);
  expect(Math.min(...offsets)).toBeLessThan(5 * MINUTE);
  const [slot = 0] = slots;
  const times = Array.from({ length: 100 }, (_, i) =>
    fireTime(cron, slot, { uid: `uid-${i}`, window: 30 * MINUTE }),
  );
  expect(new Set(times).size).toBeGreaterThan(80);
});

test("without a window it is the slot", () => {
  const cron = cronOf("0 2 * * *");
  const slot = cron.next(0) ?? 0;
  for (const window of [0, 999, -5, Number.NaN])
    expect(fireTime(cron, slot, { uid: "a", window })).toBe(slot);
});
