import { expect, test } from "vitest";
import { VirtualClock } from "../lib/virtual_clock.ts";
import { operatorBudgets } from "./operator_budgets.ts";

/** As many requests as four repositories that are looked at have under way at once. */
const AT_ONCE = 64;

async function takeAll(count: number, take: () => Promise<void>): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await take();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

test("two thousand Backups, of two requests each, are shown within six seconds", async () => {
  const clock = new VirtualClock();
  const { bulk } = operatorBudgets(clock);
  let over = false;
  void takeAll(4000, () => bulk.take()).then(() => {
    over = true;
  });
  await clock.advance(4000);
  expect(over).toBe(false);
  await clock.advance(2000);
  expect(over).toBe(true);
});

test("while the operator has more to do than it may, nearly nothing is taken for them, and nothing from it", async () => {
  const clock = new VirtualClock();
  const { usual, bulk } = operatorBudgets(clock);
  let [work, rows] = [0, 0];
  void takeAll(10_000, async () => {
    await usual.take();
    work += 1;
  });
  void takeAll(10_000, async () => {
    await bulk.take();
    rows += 1;
  });
  await clock.advance(10_000);
  expect(work).toBe(770);
  expect(rows).toBeGreaterThanOrEqual(100);
  // The API server is asked for less than a hundred things a second by both.
  expect((work + rows) / 10).toBeLessThan(100);
});
