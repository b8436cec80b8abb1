import { describe, expect, test } from "vitest";
import type { PatchableSchema } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";
import { type ApplyRequest, serverSideApply } from "./apply.ts";
import { conflictStatus } from "./conflict.ts";
import type { TrackedKind } from "./managed_fields.ts";
import { trackUpdate } from "./track_update.ts";

const text: PatchableSchema = { type: "string" };
const schema: PatchableSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: text,
        b: text,
        labels: { type: "object", additionalProperties: text },
        nested: { type: "object", properties: { x: text, y: text } },
        tags: { type: "array", items: text, "x-kubernetes-list-type": "set" },
        ports: {
          type: "array",
          items: { type: "object", properties: { port: { type: "integer" }, name: text } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port"],
        },
      },
    },
    status: { type: "object", properties: { phase: text } },
  },
};
const kind: TrackedKind = { schema, custom: true, status: true };
const identity = { apiVersion: "g/v1", kind: "K" };
const START = "2026-01-01T00:00:00Z";
const LATER = "2026-01-02T00:00:00Z";

/** The rest of the object belongs beside spec: metadata, status. */
interface Part {
  readonly spec?: object;
  readonly status?: object;
  readonly metadata?: object;
}

function outcome(live: Stored | undefined, manager: string, part: Part, more: Partial<ApplyRequest> = {}) {
  const applied = { ...identity, ...part, metadata: { name: "o", ...part.metadata } };
  return serverSideApply({
    kind,
    live,
    applied,
    manager,
    force: false,
    apiVersion: "g/v1",
    time: START,
    ...more,
  });
}

function apply(live: Stored | undefined, manager: string, part: Part, more?: Partial<ApplyRequest>): Stored {
  const { object, conflicts } = outcome(live, manager, part, more);
  if (!object) throw new Error(conflictStatus(conflicts).message);
  return object;
}

function update(before: Stored | undefined, manager: string, part: Part, time = START): Stored {
  const metadata = { ...(before?.metadata ?? { name: "o", uid: "u" }), ...part.metadata };
  const after = { ...identity, ...before, ...part, metadata } as Stored;
  return trackUpdate({ kind, before, after, manager, apiVersion: "g/v1", time });
}

/** Who owns what, as `manager operation`. */
function owners(object: Stored): unknown {
  const entries = object.metadata.managedFields ?? [];
  return Object.fromEntries(entries.map((entry) => [`${entry.manager} ${entry.operation}`, entry.fieldsV1]));
}

describe("serverSideApply()", () => {
  test("creates an object whose fields are the manager's", () => {
    const object = apply(undefined, "anna", { spec: { a: "1", nested: {} } });
    expect(object).toMatchObject({ ...identity, metadata: { name: "o" }, spec: { a: "1", nested: {} } });
    expect(object.metadata.managedFields).toEqual([
      {
        manager: "anna",
        operation: "Apply",
        apiVersion: "g/v1",
        time: START,
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:a": {}, "f:nested": {} } },
      },
    ]);
  });

  test("removes what the manager no longer applies", () => {
    const live = apply(undefined, "anna", {
      spec: { a: "1", labels: { k: "v" }, tags: ["x", "y"], ports: [{ port: 1, name: "n" }, { port: 2 }] },
    });
    const next = apply(live, "anna", { spec: { tags: ["y"], ports: [{ port: 1 }] } });
    expect(next.spec).toEqual({ tags: ["y"], ports: [{ port: 1 }] });
  });

  test("keeps what somebody else owns too", () => {
    const first = apply(undefined, "anna", { spec: { a: "1", labels: { k: "v", l: "w" } } });
    const shared = apply(first, "bert", { spec: { a: "1", labels: { k: "v" } } });
    const next = apply(shared, "anna", { spec: { b: "2" } });
    expect(next.spec).toEqual({ a: "1", b: "2", labels: { k: "v" } });
    expect(owners(next)).toEqual({
      "anna Apply": { "f:spec": { "f:b": {} } },
      "bert Apply": { "f:spec": { "f:a": {}, "f:labels": { "f:k": {} } } },
    });
  });

  test("keeps what nobody owns", () => {
    const first = apply(undefined, "anna", { spec: { a: "1" } });
    const defaulted = { ...first, spec: { a: "1", b: "default" } };
    expect(apply(defaulted, "anna", { spec: {} }).spec).toEqual({ b: "default" });
  });

  test("meets a conflict when it changes what another owns, and says whose", () => {
    const live = update(undefined, "bert", { spec: { a: "1", ports: [{ port: 80, name: "x" }] } });
    const one = outcome(live, "anna", { spec: { a: "2" } });
    expect(one.object).toBeUndefined();
    expect(conflictStatus(one.conflicts)).toEqual({
      code: 409,
      reason: "Conflict",
      message: 'Apply failed with 1 conflict: conflict with "bert" using g/v1: .spec.a',
      details: {
        causes: [
          { reason: "FieldManagerConflict", message: 'conflict with "bert" using g/v1', field: ".spec.a" },
        ],
      },
    });
    const two = outcome(live, "anna", { spec: { a: "2", ports: [{ port: 80, name: "y" }] } });
    expect(conflictStatus(two.conflicts).message).toBe(
      'Apply failed with 2 conflicts: conflicts with "bert" using g/v1:\n- .spec.a\n- .spec.ports[port=80].name',
    );
  });

  test("takes the field when forced", () => {
    const live = update(undefined, "bert", { spec: { a: "1", b: "1" } });
    const next = apply(live, "anna", { spec: { a: "2" } }, { force: true });
    expect(next.spec).toEqual({ a: "2", b: "1" });
    expect(owners(next)).toEqual({
      "anna Apply": { "f:spec": { "f:a": {} } },
      "bert Update": { "f:spec": { ".": {}, "f:b": {} } },
    });
  });

  test("shares a field that it does not change, and has then no time", () => {
    const live = apply(undefined, "anna", { spec: { a: "1" } });
    const next = apply(live, "bert", { spec: { a: "1" } }, { time: LATER });
    const times = next.metadata.managedFields?.map(({ manager, time }) => [manager, time]);
    expect(times).toEqual([
      ["bert", undefined],
      ["anna", START],
    ]);
  });

  test("keeps its time when it changes nothing", () => {
    const live = apply(undefined, "anna", { spec: { a: "1" } });
    expect(apply(live, "anna", { spec: { a: "1" } }, { time: LATER })).toEqual(live);
    const next = apply(live, "anna", { spec: { a: "2" } }, { time: LATER });
    expect(next.metadata.managedFields?.[0]?.time).toBe(LATER);
  });

  test("is another manager on the status, and owns no spec there", () => {
    const live = apply(undefined, "anna", { spec: { a: "1" }, status: { phase: "ignored" } });
    const part = { spec: { a: "2" }, status: { phase: "p" } };
    const next = apply(live, "anna", part, { subresource: "status" });
    const entries = next.metadata.managedFields?.map(({ subresource, fieldsV1 }) => [subresource, fieldsV1]);
    expect(entries).toEqual([
      [undefined, { "f:spec": { "f:a": {} } }],
      ["status", { "f:status": { "f:phase": {} } }],
    ]);
  });

  test("counts what was there without owners as before the first apply", () => {
    const live = {
      ...identity,
      metadata: { name: "o", uid: "u" },
      spec: { a: "1", b: "1" },
    } as unknown as Stored;
    const { conflicts } = outcome(live, "anna", { spec: { a: "2" } });
    expect(conflictStatus(conflicts).message).toContain('"before-first-apply" using g/v1: .spec.a');
    expect(owners(apply(live, "anna", { spec: { b: "1" } }))).toEqual({
      "anna Apply": { "f:spec": { "f:b": {} } },
      "before-first-apply Update": { "f:spec": { ".": {}, "f:a": {}, "f:b": {} } },
    });
  });

  test("owns as one piece what has become one", () => {
    const live = apply(undefined, "anna", { spec: { labels: { k: "v" }, nested: { x: "1" } } });
    const { spec, ...rest } = schema.properties ?? {};
    const labels: PatchableSchema = {
      type: "object",
      additionalProperties: text,
      "x-kubernetes-map-type": "atomic",
    };
    const properties = { ...rest, spec: { ...spec, properties: { ...spec?.properties, labels } } };
    const atomic = { ...kind, schema: { ...schema, properties } };
    const part = { spec: { labels: { l: "w" } } };
    const { conflicts } = outcome(live, "bert", part, { kind: atomic });
    expect(conflictStatus(conflicts).message).toContain('conflict with "anna": .spec.labels');
  });

  describe("as kubectl", () => {
    const annotation = "kubectl.kubernetes.io/last-applied-configuration";
    const last = JSON.stringify({ ...identity, metadata: { name: "o" }, spec: { a: "1", b: "1" } });
    const live = update(undefined, "kubectl-client-side-apply", {
      metadata: { annotations: { [annotation]: last } },
      spec: { a: "1", b: "changed since" },
    });

    test("takes over what its last client-side apply left, and renews the annotation", () => {
      const next = apply(live, "kubectl", { spec: { a: "2" } });
      expect(next.spec).toEqual({ a: "2", b: "changed since" });
      const renewed = { ...identity, spec: { a: "2" }, metadata: { name: "o" } };
      expect(JSON.parse(next.metadata.annotations?.[annotation] ?? "")).toEqual(renewed);
    });

    test("does not take over what was changed since", () => {
      const { conflicts } = outcome(live, "kubectl", { spec: { a: "2", b: "2" } });
      expect(conflictStatus(conflicts).message).toContain("1 conflict: ");
      expect(conflictStatus(conflicts).details?.causes?.[0]?.field).toBe(".spec.b");
    });
  });

  test.each([
    [{ spec: { none: 1 } }, 500, "(/o; g/v1, Kind=K): .spec.none: field not declared in schema"],
    [{ spec: { tags: ["a", "a"] } }, 500, '.spec.tags: duplicate entries for key [="a"]'],
    [{ spec: { a: 1, b: 2 } }, 500, "errors:\n  .spec.a: expected string"],
    [{ metadata: { managedFields: [] } }, 400, "metadata.managedFields must be nil"],
  ])("refuses %j", (part, code, message) => {
    expect(() => apply(undefined, "anna", part)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });
});
