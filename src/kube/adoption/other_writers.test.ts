import { expect, test } from "vitest";
import type { ManagedFields, MetadataOnly } from "../object.ts";
import { newestOfEach, otherWrites, writeText } from "./other_writers.ts";
import { WIDGETS } from "./testing/widgets.ts";

const at = (minute: number) => `2026-01-01T10:0${minute}:00Z`;

const written = (...managedFields: readonly ManagedFields[]): MetadataOnly => ({
  apiVersion: "example.org/v1",
  kind: "Widget",
  metadata: {
    namespace: "shop",
    name: "a",
    uid: "1",
    resourceVersion: "1",
    creationTimestamp: at(0),
    managedFields,
  },
});
const status = (manager: string, time?: string): ManagedFields => ({
  manager,
  subresource: "status",
  ...(time === undefined ? {} : { time }),
});

test("otherWrites() finds who else wrote the status, and nobody who wrote the rest", () => {
  const object = written(
    { manager: "argocd-controller", operation: "Apply", time: at(3) },
    status("holdfast-operator", at(4)),
    status("holdfast", at(4)),
    status("kubectl-edit", at(5)),
    status("old-controller", at(1)),
    status("holdfasting", at(2)),
  );
  expect(otherWrites(WIDGETS, object)).toEqual([
    { manager: "holdfasting", object: "widgets.example.org shop/a", time: at(2) },
    { manager: "old-controller", object: "widgets.example.org shop/a", time: at(1) },
  ]);
  expect(otherWrites(WIDGETS, written())).toEqual([]);
});

test("otherWrites() takes what was written before others went as history, and what has no time as new", () => {
  const object = written(status("old", at(1)), status("unknown"));
  const since = (time: string) =>
    otherWrites(WIDGETS, object, Date.parse(time)).map(({ manager }) => manager);
  expect(since(at(0))).toEqual(["unknown", "old"]);
  expect(since(at(1))).toEqual(["unknown"]);
});

test("newestOfEach() keeps one write of each", () => {
  const write = (manager: string, object: string, time: string) => ({ manager, object, time });
  const writes = [
    write("a", "x", at(1)),
    write("b", "x", at(1)),
    write("a", "y", at(3)),
    write("a", "z", at(2)),
  ];
  expect(newestOfEach(writes)).toEqual([write("a", "y", at(3)), write("b", "x", at(1))]);
});

test("writeText() says who wrote what, why that matters, and what to do", () => {
  const [write] = otherWrites(WIDGETS, written(status("old", at(1))));
  expect(write && writeText(write)).toBe(
    "old wrote the status of widgets.example.org shop/a at 2026-01-01T10:01:00Z: two controllers must not work on the same objects. Remove that controller, then set crds.previousControllerStoppedAt to 2026-01-01T10:01:00Z, or to any later time.",
  );
});
