import { expect, test } from "vitest";
import { Seats } from "./seats.ts";

const { signal } = new AbortController();

test("seats are handed out in the order of asking, and those who leave the queue get none", async () => {
  let scarce = 0;
  const seats = new Seats({ count: 1, onScarce: () => (scarce += 1) });
  await seats.take(signal);
  const order: string[] = [];
  const leaves = new AbortController();
  const left = seats.take(leaves.signal);
  const first = seats.take(signal).then(() => order.push("first"));
  const second = seats.take(signal).then(() => order.push("second"));
  leaves.abort(new Error("enough"));
  await expect(left).rejects.toThrow("enough");
  expect([seats.wanted, scarce]).toEqual([2, 3]);
  seats.giveBack();
  await first;
  expect(order).toEqual(["first"]);
  seats.giveBack();
  await second;
  seats.giveBack();
  expect(seats.wanted).toBe(0);
  await seats.take(signal);
  expect(scarce).toBe(3);
});

test("whoever had left before asking takes no seat", async () => {
  const seats = new Seats({ count: 1, onScarce: () => {} });
  await expect(seats.take(AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  await seats.take(signal);
});
