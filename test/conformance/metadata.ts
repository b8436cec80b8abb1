import { expect } from "vitest";
import { ConfigMaps } from "../../src/kube/builtin.ts";
import { refused, taken } from "./world/expectations.ts";
import type { Theme } from "./world/world.ts";

const UID = "11111111-2222-3333-4444-555555555555";

export const metadata: Theme = {
  name: "metadata",
  cases: {
    "what the server sets is not taken from the client": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        const made = taken(
          await things.create({
            metadata: {
              name: "server",
              uid: UID,
              creationTimestamp: "2001-01-01T00:00:00Z",
              deletionTimestamp: "2001-01-01T00:00:00Z",
              deletionGracePeriodSeconds: 7,
              generation: 42,
            },
          }),
          201,
        );
        expect(made.metadata.uid).not.toBe(UID);
        expect(made.metadata.creationTimestamp).not.toMatch(/^2001/);
        expect(made.metadata).not.toHaveProperty("deletionTimestamp");
        expect(made.metadata).not.toHaveProperty("deletionGracePeriodSeconds");
        if (things.resource === widgets) expect(made.metadata.generation).toBe(1);
      }
    },

    "an update cannot change what the server sets": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        const made = taken(await things.create({ metadata: { name: "kept" } }));
        const metadata = {
          ...made.metadata,
          creationTimestamp: "2001-01-01T00:00:00Z",
          generation: 42,
          generateName: "other-",
          labels: { a: "b" },
        };
        const updated = taken(await things.replace({ ...made, metadata }), 200);
        expect(updated.metadata.creationTimestamp).toBe(made.metadata.creationTimestamp);
        expect(updated.metadata.generation).toBe(made.metadata.generation);
        expect(updated.metadata.labels).toEqual({ a: "b" });
      }
    },

    "a deletion time cannot be set by an update": async ({ of }) => {
      const made = taken(await of(ConfigMaps).create({ metadata: { name: "undead" } }));
      const metadata = { ...made.metadata, deletionTimestamp: "2001-01-01T00:00:00Z" };
      refused(
        await of(ConfigMaps).replace({ ...made, metadata }),
        422,
        "Invalid",
        'ConfigMap "undead" is invalid: metadata.deletionTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable',
      );
    },

    "generation counts changes of the spec, not of metadata or status": async ({ of, widgets }) => {
      const things = of(widgets);
      const made = taken(await things.create({ metadata: { name: "counted" }, spec: { size: 1 } }), 201);
      expect(made.metadata.generation).toBe(1);
      const labelled = taken(await things.patch("counted", "merge", { metadata: { labels: { a: "b" } } }));
      expect(labelled.metadata.generation).toBe(1);
      const reported = taken(await things.sub("status").patch("counted", "merge", { status: { seen: 1 } }));
      expect(reported.metadata.generation).toBe(1);
      const changed = taken(await things.patch("counted", "merge", { spec: { size: 2 } }));
      expect(changed.metadata.generation).toBe(2);
      const same = taken(await things.patch("counted", "merge", { spec: { size: 2 } }));
      expect(same.metadata.generation).toBe(2);
    },

    "a ConfigMap has no generation": async ({ of }) => {
      const made = taken(await of(ConfigMaps).create({ metadata: { name: "uncounted" } }));
      expect(made.metadata).not.toHaveProperty("generation");
    },

    "a name is a DNS subdomain": async ({ of, widgets, group }) => {
      const rule =
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
      refused(
        await of(ConfigMaps).create({ metadata: { name: "Not_Good" } }),
        422,
        "Invalid",
        `ConfigMap "Not_Good" is invalid: metadata.name: Invalid value: "Not_Good": ${rule}`,
      );
      refused(
        await of(widgets).create({ metadata: { name: "Not_Good" } }),
        422,
        "Invalid",
        `Widget.${group} "Not_Good" is invalid: metadata.name: Invalid value: "Not_Good": ${rule}`,
      );
    },

    "a name has at most 253 characters": async ({ of }) => {
      const name = "a".repeat(254);
      refused(
        await of(ConfigMaps).create({ metadata: { name } }),
        422,
        "Invalid",
        `ConfigMap "${name}" is invalid: metadata.name: Invalid value: "${name}": must be no more than 253 characters`,
      );
    },

    "label keys and values are checked": async ({ of }) => {
      refused(
        await of(ConfigMaps).create({ metadata: { name: "labels", labels: { "a b": "x" } } }),
        422,
        "Invalid",
        `ConfigMap "labels" is invalid: metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      );
      refused(
        await of(ConfigMaps).create({ metadata: { name: "labels", labels: { a: "not good" } } }),
        422,
        "Invalid",
        `ConfigMap "labels" is invalid: metadata.labels: Invalid value: "not good": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      );
      const long = "x".repeat(64);
      refused(
        await of(ConfigMaps).create({ metadata: { name: "labels", labels: { a: long } } }),
        422,
        "Invalid",
        `ConfigMap "labels" is invalid: metadata.labels: Invalid value: "${long}": must be no more than 63 bytes`,
      );
    },

    "annotations together have a limit": async ({ of }) => {
      refused(
        await of(ConfigMaps).create({
          metadata: { name: "annotated", annotations: { a: "x".repeat(262_144) } },
        }),
        422,
        "Invalid",
        'ConfigMap "annotated" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
      );
    },

    "a label that is not a text is refused": async ({ of }) => {
      refused(
        await of(ConfigMaps).create({ metadata: { name: "number", labels: { a: 1 } } }),
        400,
        "BadRequest",
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
      );
    },

    "a finalizer is qualified by a domain": async ({ of }) => {
      refused(
        await of(ConfigMaps).create({ metadata: { name: "finalizer", finalizers: ["plain"] } }),
        422,
        "Invalid",
        'ConfigMap "finalizer" is invalid: metadata.finalizers[0]: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified',
      );
    },

    "a finalizer of a custom object that is not qualified is warned about": async ({ of, widgets }) => {
      const answer = await of(widgets).create({ metadata: { name: "plain", finalizers: ["plain"] } });
      taken(answer, 201);
      expect(answer.headers.warning).toBe(
        '299 - "metadata.finalizers: \\"plain\\": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"',
      );
      taken(await of(widgets).patch("plain", "merge", { metadata: { finalizers: null } }));
    },

    "an owner reference is complete, and at most one is the controller": async ({ of }) => {
      const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: UID, controller: true };
      refused(
        await of(ConfigMaps).create({
          metadata: { name: "owned", ownerReferences: [{ ...owner, uid: "", name: "" }] },
        }),
        422,
        "Invalid",
        'ConfigMap "owned" is invalid: [metadata.ownerReferences[0].name: Required value: must not be empty, metadata.ownerReferences[0].uid: Required value: must not be empty]',
      );
      refused(
        await of(ConfigMaps).create({
          metadata: { name: "owned", ownerReferences: [{ ...owner, apiVersion: "a/b/c" }] },
        }),
        422,
        "Invalid",
        'ConfigMap "owned" is invalid: metadata.ownerReferences[0].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>',
      );
      refused(
        await of(ConfigMaps).create({
          metadata: { name: "owned", ownerReferences: [owner, { ...owner, name: "second" }] },
        }),
        422,
        "Invalid",
        'ConfigMap "owned" is invalid: metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":"11111111-2222-3333-4444-555555555555","controller":true},{"apiVersion":"v1","kind":"ConfigMap","name":"second","uid":"11111111-2222-3333-4444-555555555555","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for ConfigMap/owner and ConfigMap/second',
      );
    },

    "who wrote a field is named after the user agent or the field manager": async ({ of }) => {
      const made = taken(await of(ConfigMaps).create({ metadata: { name: "managed" }, data: { a: "1" } }));
      expect(made.metadata.managedFields).toEqual([
        {
          manager: "conformance",
          operation: "Update",
          apiVersion: "v1",
          time: expect.stringMatching(/Z$/),
          fieldsType: "FieldsV1",
          fieldsV1: { "f:data": { ".": {}, "f:a": {} } },
        },
      ]);
      const patched = taken(
        await of(ConfigMaps).patch("managed", "merge", { data: { b: "2" } }, { fieldManager: "second" }),
      );
      expect(patched.metadata.managedFields?.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
        ["conformance", { "f:data": { ".": {}, "f:a": {} } }],
        ["second", { "f:data": { "f:b": {} } }],
      ]);
    },

    "a field that another manager changes changes hands": async ({ of }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "hands" }, data: { a: "1" } }));
      const patched = taken(
        await of(ConfigMaps).patch("hands", "merge", { data: { a: "2" } }, { fieldManager: "second" }),
      );
      expect(patched.metadata.managedFields?.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
        ["conformance", { "f:data": {} }],
        ["second", { "f:data": { "f:a": {} } }],
      ]);
    },

    "managed fields are cleared by one empty entry": async ({ of }) => {
      const made = taken(await of(ConfigMaps).create({ metadata: { name: "cleared" }, data: { a: "1" } }));
      const cleared = taken(
        await of(ConfigMaps).replace({ ...made, metadata: { ...made.metadata, managedFields: [{}] } }),
      );
      expect(cleared.metadata.managedFields).toBeUndefined();
    },

    "an update that leaves out managed fields keeps them": async ({ of }) => {
      const made = taken(await of(ConfigMaps).create({ metadata: { name: "left-out" }, data: { a: "1" } }));
      const updated = taken(
        await of(ConfigMaps).replace({ metadata: { name: "left-out" }, data: { a: "1", b: "2" } }),
      );
      expect(updated.metadata.managedFields).toHaveLength(1);
      expect(updated.metadata.managedFields?.[0]).toMatchObject({
        manager: made.metadata.managedFields?.[0]?.manager,
        fieldsV1: { "f:data": { ".": {}, "f:a": {}, "f:b": {} } },
      });
    },

    "metadata alone can be asked for": async ({ of, widgets }) => {
      const made = taken(await of(widgets).create({ metadata: { name: "alone" }, spec: { size: 1 } }));
      const answer = await of(widgets).get(
        "alone",
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
      );
      expect(taken(answer, 200)).toEqual({
        apiVersion: "meta.k8s.io/v1",
        kind: "PartialObjectMetadata",
        metadata: made.metadata,
      });
    },
  },
};
