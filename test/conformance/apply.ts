import { expect } from "vitest";
import { ConfigMaps } from "../../src/kube/builtin.ts";
import { refused, taken } from "./world/expectations.ts";
import { owners } from "./world/owners.ts";
import type { Theme } from "./world/world.ts";

export const apply: Theme = {
  name: "apply",
  cases: {
    "the first apply creates, later ones change": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        const labels = { a: "1" };
        const made = taken(await things.apply({ metadata: { name: "first", labels } }), 201);
        expect(made.metadata.labels).toEqual(labels);
        expect(owners(made)).toEqual([["manager Apply", { "f:metadata": { "f:labels": { "f:a": {} } } }]]);
        const changed = taken(await things.apply({ metadata: { name: "first", labels: { a: "2" } } }), 200);
        expect(changed.metadata.labels).toEqual({ a: "2" });
      }
    },

    "applying the same again changes nothing": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        const object = { metadata: { name: "again", labels: { a: "1" } } };
        const made = taken(await things.apply(object), 201);
        expect(taken(await things.apply(object), 200)).toEqual(made);
      }
    },

    "a field of another manager is a conflict, with every owner named": async ({ of }) => {
      taken(await of(ConfigMaps).apply({ metadata: { name: "conflict" }, data: { a: "1", b: "1" } }));
      const status = refused(
        await of(ConfigMaps).apply(
          { metadata: { name: "conflict" }, data: { a: "2", b: "2" } },
          { fieldManager: "second" },
        ),
        409,
        "Conflict",
        'Apply failed with 2 conflicts: conflicts with "manager":\n- .data.a\n- .data.b',
      );
      expect(status.details).toEqual({
        causes: [
          { reason: "FieldManagerConflict", message: 'conflict with "manager"', field: ".data.a" },
          { reason: "FieldManagerConflict", message: 'conflict with "manager"', field: ".data.b" },
        ],
      });
    },

    "a single conflict is told in one line": async ({ of }) => {
      taken(await of(ConfigMaps).apply({ metadata: { name: "single" }, data: { a: "1" } }));
      refused(
        await of(ConfigMaps).apply(
          { metadata: { name: "single" }, data: { a: "2" } },
          { fieldManager: "second" },
        ),
        409,
        "Conflict",
        'Apply failed with 1 conflict: conflict with "manager": .data.a',
      );
    },

    "a conflict with an update names when and how": async ({ of, widgets, group }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "updated" }, data: { a: "1" } }));
      refused(
        await of(ConfigMaps).apply({ metadata: { name: "updated" }, data: { a: "2" } }),
        409,
        "Conflict",
        /^Apply failed with 1 conflict: conflict with "conformance" using v1: \.data\.a$/,
      );
      taken(await of(widgets).create({ metadata: { name: "updated" }, spec: { size: 1 } }));
      refused(
        await of(widgets).apply({ metadata: { name: "updated" }, spec: { size: 2 } }),
        409,
        "Conflict",
        `Apply failed with 1 conflict: conflict with "conformance" using ${group}/v1: .spec.size`,
      );
    },

    "force takes the field over": async ({ of }) => {
      taken(await of(ConfigMaps).apply({ metadata: { name: "force" }, data: { a: "1", b: "1" } }));
      const taken2 = taken(
        await of(ConfigMaps).apply(
          { metadata: { name: "force" }, data: { a: "2" } },
          { fieldManager: "second", force: true },
        ),
        200,
      );
      expect(taken2.data).toEqual({ a: "2", b: "1" });
      expect(owners(taken2)).toEqual([
        ["manager Apply", { "f:data": { "f:b": {} } }],
        ["second Apply", { "f:data": { "f:a": {} } }],
      ]);
    },

    "the same value is shared by two managers": async ({ of }) => {
      taken(await of(ConfigMaps).apply({ metadata: { name: "shared" }, data: { a: "1" } }));
      const shared = taken(
        await of(ConfigMaps).apply(
          { metadata: { name: "shared" }, data: { a: "1" } },
          { fieldManager: "second" },
        ),
      );
      expect(owners(shared)).toEqual([
        ["manager Apply", { "f:data": { "f:a": {} } }],
        ["second Apply", { "f:data": { "f:a": {} } }],
      ]);
      expect(shared.metadata.managedFields?.find(({ manager }) => manager === "second")).not.toHaveProperty(
        "time",
      );
      const left = taken(await of(ConfigMaps).apply({ metadata: { name: "shared" } }));
      expect(left.data).toEqual({ a: "1" });
      expect(owners(left)).toEqual([["second Apply", { "f:data": { "f:a": {} } }]]);
    },

    "what is no longer applied is removed": async ({ of, widgets }) => {
      taken(
        await of(widgets).apply({
          metadata: { name: "removed" },
          spec: { size: 1, color: "red", options: { a: "1" } },
        }),
      );
      taken(await of(widgets).patch("removed", "merge", { spec: { options: { b: "2" } } }));
      const next = taken(await of(widgets).apply({ metadata: { name: "removed" }, spec: { size: 1 } }), 200);
      expect(next.spec).toEqual({ mode: "auto", size: 1, options: { b: "2" } });
    },

    "a null that the schema does not allow is refused, also when a map was emptied": async ({
      of,
      widgets,
      group,
    }) => {
      refused(
        await of(widgets).apply({ metadata: { name: "null" }, spec: { size: null } }),
        422,
        "Invalid",
        `Widget.${group} "null" is invalid: spec.size: Invalid value: "null": spec.size in body must be of type integer: "null"`,
      );
      taken(await of(widgets).apply({ metadata: { name: "null" }, spec: { options: { a: "1" } } }), 201);
      refused(
        await of(widgets).apply({ metadata: { name: "null" }, spec: { options: {} } }),
        422,
        "Invalid",
        `Widget.${group} "null" is invalid: spec.options: Invalid value: "null": spec.options in body must be of type object: "null"`,
      );
      taken(await of(widgets).apply({ metadata: { name: "null" }, spec: {} }), 200);
    },

    "a defaulted field belongs to nobody": async ({ of, widgets }) => {
      const made = taken(await of(widgets).apply({ metadata: { name: "default" }, spec: { size: 1 } }), 201);
      expect(made.spec).toEqual({ mode: "auto", size: 1 });
      expect(owners(made)).toEqual([["manager Apply", { "f:spec": { "f:size": {} } }]]);
      taken(
        await of(widgets).apply(
          { metadata: { name: "default" }, spec: { mode: "x" } },
          { fieldManager: "second" },
        ),
        200,
      );
    },

    "a field manager is needed": async ({ of, api }) => {
      refused(
        await api.send("PATCH", of(ConfigMaps).path("nobody"), {
          headers: { "content-type": "application/apply-patch+yaml" },
          body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "nobody" } },
        }),
        422,
        "Invalid",
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      );
    },

    "managed fields are not applied": async ({ of }) => {
      refused(
        await of(ConfigMaps).apply({ metadata: { name: "fields", managedFields: [{ manager: "x" }] } }),
        400,
        "BadRequest",
        "metadata.managedFields must be nil",
      );
    },

    "the name in an apply must be the one in the path": async ({ of, api }) => {
      refused(
        await api.send("PATCH", of(ConfigMaps).path("one"), {
          query: { fieldManager: "manager" },
          headers: { "content-type": "application/apply-patch+yaml" },
          body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other" } },
        }),
        400,
        "BadRequest",
        "the name of the object (other) does not match the name on the URL (one)",
      );
    },

    "an apply may insist on a version": async ({ of }) => {
      const made = taken(await of(ConfigMaps).apply({ metadata: { name: "version" }, data: { a: "1" } }));
      taken(await of(ConfigMaps).apply({ metadata: { name: "version" }, data: { a: "2" } }));
      refused(
        await of(ConfigMaps).apply({
          metadata: { name: "version", resourceVersion: made.metadata.resourceVersion },
          data: { a: "3" },
        }),
        409,
        "Conflict",
        'Operation cannot be fulfilled on configmaps "version": the object has been modified; please apply your changes to the latest version and try again',
      );
    },

    "an apply with a version creates all the same": async ({ of }) => {
      const made = taken(
        await of(ConfigMaps).apply({ metadata: { name: "none", resourceVersion: "1" } }),
        201,
      );
      expect(made.metadata.resourceVersion).not.toBe("1");
    },

    "YAML is applied": async ({ of, api }) => {
      const answer = await api.send("PATCH", of(ConfigMaps).path("yaml"), {
        query: { fieldManager: "manager" },
        headers: { "content-type": "application/apply-patch+yaml" },
        body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: |\n    one\n    two\n",
      });
      expect(taken(answer, 201).data).toEqual({ a: "one\ntwo\n" });
    },

    "an unknown field is refused by the schema": async ({ of, widgets, group }) => {
      refused(
        await of(ConfigMaps).apply({ metadata: { name: "unknown" }, dataa: { a: "1" } }),
        500,
        undefined,
        /failed to create typed patch object .*\.dataa: field not declared in schema/,
      );
      refused(
        await of(widgets).apply({ metadata: { name: "unknown" }, spec: { sizee: 1 } }),
        500,
        undefined,
        new RegExp(
          `failed to create typed patch object .*${group}/v1, Kind=Widget\\): .spec.sizee: field not declared in schema`,
        ),
      );
    },

    "status and the rest are applied apart": async ({ of, widgets }) => {
      taken(await of(widgets).apply({ metadata: { name: "status" }, spec: { size: 1 } }), 201);
      const answer = await of(widgets)
        .sub("status")
        .apply({ metadata: { name: "status" }, status: { phase: "Done" } });
      const reported = taken(answer, 200);
      expect(reported).toMatchObject({ spec: { size: 1 }, status: { phase: "Done" } });
      expect(owners(reported)).toEqual([
        ["manager Apply", { "f:spec": { "f:size": {} } }],
        ["manager Apply status", { "f:status": { "f:phase": {} } }],
      ]);
    },

    "a status is not applied to a missing object": async ({ of, widgets, group }) => {
      refused(
        await of(widgets)
          .sub("status")
          .apply({ metadata: { name: "absent" }, status: { phase: "x" } }),
        404,
        "NotFound",
        `widgets.${group} "absent" not found`,
      );
    },

    "an update takes fields from an apply without asking": async ({ of }) => {
      taken(await of(ConfigMaps).apply({ metadata: { name: "lost" }, data: { a: "1", b: "1" } }));
      const updated = taken(await of(ConfigMaps).patch("lost", "merge", { data: { a: "2" } }));
      expect(owners(updated)).toEqual([
        ["conformance Update", { "f:data": { "f:a": {} } }],
        ["manager Apply", { "f:data": { "f:b": {} } }],
      ]);
      refused(
        await of(ConfigMaps).apply({ metadata: { name: "lost" }, data: { a: "1", b: "1" } }),
        409,
        "Conflict",
        /^Apply failed with 1 conflict: conflict with "conformance" using v1: \.data\.a$/,
      );
    },
  },
};
