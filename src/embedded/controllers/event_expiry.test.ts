import { expect, test } from "vitest";
import type { Stored } from "../store/store.ts";
import { EVENT_TTL, expiresAt } from "./event_expiry.ts";

const event = (more: object) =>
  ({ metadata: { name: "e", creationTimestamp: "2026-05-24T00:00:00Z" }, ...more }) as unknown as Stored;

test.each([
  ["was written once", {}, "2026-05-24T00:00:00Z"],
  ["was written again", { lastTimestamp: "2026-05-24T02:00:00Z" }, "2026-05-24T02:00:00Z"],
  ["has no last time", { lastTimestamp: null }, "2026-05-24T00:00:00Z"],
])("an Event that %s goes an hour later", (_, more, from) => {
  expect(expiresAt(event(more))).toBe(Date.parse(from) + EVENT_TTL);
});
