import { expect, test } from "vitest";
import type { Stored } from "../store/store.ts";
import { settleTimes } from "./settle_times.ts";

const at = (time: string, data: object) =>
  ({ metadata: { name: "o", managedFields: [{ manager: "anna", time }] }, data }) as unknown as Stored;
const stored = at("2026-01-01T00:00:00Z", { a: 1 });

test("an object that only got newer times stays as it is stored", () => {
  expect(settleTimes(stored, at("2026-01-02T00:00:00Z", { a: 1 }))).toBe(stored);
});

test("an object that changed keeps its new times", () => {
  const next = at("2026-01-02T00:00:00Z", { a: 2 });
  expect(settleTimes(stored, next)).toBe(next);
});
