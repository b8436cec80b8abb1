import { expect, test } from "vitest";
import { edition } from "./editions.ts";

const object = (generation: number, annotations?: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: {
    name: "thing",
    uid: "1",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    generation,
    ...(annotations ? { annotations } : {}),
  },
});

test("edition() changes with the spec and with our annotations, in whatever order, and with nothing else", () => {
  const first = "kopiur.home-operations.com/cancel";
  const second = "kopiur.home-operations.com/hold";
  expect(edition(object(1))).not.toBe(edition(object(2)));
  expect(edition(object(1))).not.toBe(edition(object(1, { [first]: "true" })));
  expect(edition(object(1, { [first]: "1", [second]: "2" }))).toBe(
    edition(object(1, { [second]: "2", [first]: "1" })),
  );
  expect(edition(object(1, { "example.org/seen": "today" }))).toBe(edition(object(1)));
});

test("edition() does not change when the operator is about to delete the object", () => {
  const mark = { "kopiur.home-operations.com/deletion-reason": "Retention" };
  expect(edition(object(1, mark))).toBe(edition(object(1)));
});
