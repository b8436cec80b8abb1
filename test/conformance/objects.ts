import { expect } from "vitest";
import { ConfigMaps, Secrets } from "../../src/kube/builtin.ts";
import { refused, taken } from "./world/expectations.ts";
import type { Theme } from "./world/world.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const objects: Theme = {
  name: "objects",
  cases: {
    "a created object has a uid, a version, a creation time and its namespace": async ({ of, namespace }) => {
      const made = taken(await of(ConfigMaps).create({ metadata: { name: "made" }, data: { a: "1" } }), 201);
      expect(made).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } });
      expect(made.metadata).toEqual({
        name: "made",
        namespace,
        uid: expect.stringMatching(UUID),
        resourceVersion: expect.stringMatching(/^[1-9]\d*$/),
        creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        managedFields: [expect.objectContaining({ manager: "conformance", operation: "Update" })],
      });
    },

    "what was created is what is read": async ({ of }) => {
      const made = taken(await of(ConfigMaps).create({ metadata: { name: "read" }, data: { a: "1" } }), 201);
      expect(taken(await of(ConfigMaps).get("read"), 200)).toEqual(made);
    },

    "what another may do can be asked": async ({ api }) => {
      const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
      const spec = {
        user: "somebody",
        groups: ["system:masters"],
        resourceAttributes: { verb: "get", resource: "pods", namespace: "default" },
      };
      const asked = taken(await api.send("POST", path, { body: { metadata: {}, spec } }), 201);
      expect(asked).toMatchObject({ kind: "SubjectAccessReview", spec, status: { allowed: true } });
      expect(asked.metadata).not.toHaveProperty("uid");
    },

    "a name is taken once": async ({ of }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "once" } }), 201);
      const status = refused(
        await of(ConfigMaps).create({ metadata: { name: "once" } }),
        409,
        "AlreadyExists",
        'configmaps "once" already exists',
      );
      expect(status.details).toEqual({ name: "once", kind: "configmaps" });
    },

    "a missing object is not found, with its name and resource": async ({ of, widgets, group }) => {
      const status = refused(
        await of(ConfigMaps).get("nobody"),
        404,
        "NotFound",
        'configmaps "nobody" not found',
      );
      expect(status.details).toEqual({ name: "nobody", kind: "configmaps" });
      const custom = refused(
        await of(widgets).get("nobody"),
        404,
        "NotFound",
        `widgets.${group} "nobody" not found`,
      );
      expect(custom.details).toEqual({ name: "nobody", group, kind: "widgets" });
    },

    "nothing is created in a namespace that is not there": async ({ api, widgets }) => {
      const answer = await api.of(ConfigMaps, "no-such-place").create({ metadata: { name: "a" } });
      const status = refused(answer, 404, "NotFound", 'namespaces "no-such-place" not found');
      expect(status.details).toEqual({ name: "no-such-place", kind: "namespaces" });
      const custom = await api.of(widgets, "no-such-place").create({ metadata: { name: "a" } });
      refused(custom, 404, "NotFound", 'namespaces "no-such-place" not found');
    },

    "an update replaces everything that is not metadata of the server": async ({ of }) => {
      const made = taken(await of(ConfigMaps).create({ metadata: { name: "replaced" }, data: { a: "1" } }));
      const next = { ...made, data: { b: "2" }, metadata: { ...made.metadata, labels: { x: "y" } } };
      const updated = taken(await of(ConfigMaps).replace(next), 200);
      expect(updated.data).toEqual({ b: "2" });
      expect(updated.metadata).toMatchObject({
        uid: made.metadata.uid,
        creationTimestamp: made.metadata.creationTimestamp,
        labels: { x: "y" },
      });
      expect(updated.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
    },

    "an update from an old version is a conflict": async ({ of, widgets, group }) => {
      const made = taken(await of(ConfigMaps).create({ metadata: { name: "stale" } }));
      taken(await of(ConfigMaps).replace({ ...made, data: { a: "1" } }), 200);
      const status = refused(
        await of(ConfigMaps).replace({ ...made, data: { a: "2" } }),
        409,
        "Conflict",
        'Operation cannot be fulfilled on configmaps "stale": the object has been modified; please apply your changes to the latest version and try again',
      );
      expect(status.details).toEqual({ name: "stale", kind: "configmaps" });
      const widget = taken(await of(widgets).create({ metadata: { name: "stale" } }));
      taken(await of(widgets).replace({ ...widget, spec: { size: 1 } }), 200);
      refused(
        await of(widgets).replace({ ...widget, spec: { size: 2 } }),
        409,
        "Conflict",
        `Operation cannot be fulfilled on widgets.${group} "stale": the object has been modified; please apply your changes to the latest version and try again`,
      );
    },

    "an update without a version overwrites a built-in object": async ({ of }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "blind" }, data: { a: "1" } }));
      const updated = taken(
        await of(ConfigMaps).replace({ metadata: { name: "blind" }, data: { b: "2" } }),
        200,
      );
      expect(updated.data).toEqual({ b: "2" });
    },

    "an update without a version of a custom object is refused": async ({ of, widgets, group }) => {
      taken(await of(widgets).create({ metadata: { name: "blind" } }));
      const status = refused(
        await of(widgets).replace({ metadata: { name: "blind" }, spec: { size: 1 } }),
        422,
        "Invalid",
        `widgets.${group} "blind" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
      );
      expect(status.details).toEqual({
        name: "blind",
        group,
        kind: "widgets",
        causes: [
          {
            reason: "FieldValueInvalid",
            message: "Invalid value: 0: must be specified for an update",
            field: "metadata.resourceVersion",
          },
        ],
      });
    },

    "an update that changes nothing keeps the version": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        const made = taken(await things.create({ metadata: { name: "same", labels: { a: "b" } } }));
        const updated = taken(await things.replace(made), 200);
        expect(updated).toEqual(made);
      }
    },

    "an update of a missing object creates nothing": async ({ of, widgets, group }) => {
      refused(
        await of(ConfigMaps).replace({ metadata: { name: "absent" } }),
        404,
        "NotFound",
        'configmaps "absent" not found',
      );
      refused(
        await of(widgets).replace({ metadata: { name: "absent", resourceVersion: "1" } }),
        404,
        "NotFound",
        `widgets.${group} "absent" not found`,
      );
    },

    "an update with another uid is a conflict": async ({ of }) => {
      const made = taken(await of(ConfigMaps).create({ metadata: { name: "uid" } }));
      const uid = "00000000-0000-0000-0000-000000000000";
      refused(
        await of(ConfigMaps).replace({ metadata: { name: "uid", uid } }),
        409,
        "Conflict",
        new RegExp(
          `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${made.metadata.uid}$`,
        ),
      );
    },

    "the name in the object and in the path must agree": async ({ of, api }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "one" } }));
      refused(
        await api.send("PUT", of(ConfigMaps).path("one"), {
          body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other" } },
        }),
        400,
        "BadRequest",
        "the name of the object (other) does not match the name on the URL (one)",
      );
    },

    "the namespace in the object and in the path must agree": async ({ of }) => {
      refused(
        await of(ConfigMaps).create({ metadata: { name: "a", namespace: "elsewhere" } }),
        400,
        "BadRequest",
        "the namespace of the provided object does not match the namespace sent on the request",
      );
    },

    "an object cannot be created with a version": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        refused(
          await things.create({ metadata: { name: "versioned", resourceVersion: "1" } }),
          500,
          undefined,
          "resourceVersion should not be set on objects to be created",
        );
      }
    },

    "an object without any name is refused": async ({ of, widgets, group }) => {
      refused(
        await of(ConfigMaps).create({ metadata: {} }),
        422,
        "Invalid",
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      );
      refused(
        await of(widgets).create({ metadata: {} }),
        422,
        "Invalid",
        `Widget.${group} "" is invalid: metadata.name: Required value: name or generateName is required`,
      );
    },

    "generateName adds five characters that cannot spell a word": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        const made = taken(await things.create({ metadata: { generateName: "gen-" } }), 201);
        expect(made.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
        expect(made.metadata.generateName).toBe("gen-");
      }
    },

    "a generated name is cut to fit": async ({ of }) => {
      const made = taken(await of(ConfigMaps).create({ metadata: { generateName: "x".repeat(70) } }), 201);
      expect(made.metadata.name).toMatch(/^x{58}[a-z0-9]{5}$/);
    },

    "a name wins over generateName": async ({ of }) => {
      const made = taken(
        await of(ConfigMaps).create({ metadata: { name: "fixed", generateName: "gen-" } }),
        201,
      );
      expect(made.metadata.name).toBe("fixed");
    },

    "an immutable ConfigMap keeps its data": async ({ of }) => {
      const made = taken(
        await of(ConfigMaps).create({ metadata: { name: "frozen" }, data: { a: "1" }, immutable: true }),
      );
      refused(
        await of(ConfigMaps).replace({ ...made, data: { a: "2" } }),
        422,
        "Invalid",
        'ConfigMap "frozen" is invalid: data: Forbidden: field is immutable when `immutable` is set',
      );
    },

    "a Secret is Opaque by default and takes stringData into data": async ({ of }) => {
      const made = taken(
        await of(Secrets).create({
          metadata: { name: "plain" },
          data: { a: "b2xk", b: "a2VwdA==" },
          stringData: { a: "new" },
        }),
        201,
      );
      expect(made).toMatchObject({ type: "Opaque", data: { a: "bmV3", b: "a2VwdA==" } });
      expect(made).not.toHaveProperty("stringData");
    },

    "an empty value of a Secret is a value, and so is one of null": async ({ of }) => {
      const made = taken(
        await of(Secrets).create({ metadata: { name: "empty" }, data: { a: "", b: null } }),
        201,
      );
      expect(made.data).toEqual({ a: "", b: "" });
    },

    "what is empty is left out of built-in objects": async ({ of }) => {
      const metadata = { name: "nothing", labels: {}, annotations: {}, finalizers: [] };
      const made = taken(await of(Secrets).create({ metadata, data: {} }), 201);
      expect(made).not.toHaveProperty("data");
      expect(Object.keys(made.metadata).sort()).toEqual([
        "creationTimestamp",
        "managedFields",
        "name",
        "namespace",
        "resourceVersion",
        "uid",
      ]);
    },

    "the type of a Secret does not change": async ({ of }) => {
      const made = taken(await of(Secrets).create({ metadata: { name: "typed" } }));
      refused(
        await of(Secrets).replace({ ...made, type: "example.com/other" }),
        422,
        "Invalid",
        'Secret "typed" is invalid: type: Invalid value: "example.com/other": field is immutable',
      );
    },

    "data of a Secret that is not base64 is refused": async ({ of }) => {
      refused(
        await of(Secrets).create({ metadata: { name: "bad" }, data: { a: "!!" } }),
        400,
        "BadRequest",
        'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0',
      );
    },

    "a key of a ConfigMap is a file name": async ({ of }) => {
      refused(
        await of(ConfigMaps).create({ metadata: { name: "keys" }, data: { "a/b": "1" } }),
        422,
        "Invalid",
        /^ConfigMap "keys" is invalid: data\[a\/b\]: Invalid value: "a\/b": a valid config key must consist of/,
      );
    },
  },
};
