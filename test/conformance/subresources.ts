import { expect } from "vitest";
import { ConfigMaps, Deployments, StatefulSets } from "../../src/kube/builtin.ts";
import { refused, taken } from "./world/expectations.ts";
import { plainCrd } from "./world/plain_crd.ts";
import type { Theme } from "./world/world.ts";

function workload(name: string, replicas: number, more: object = {}) {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "none" }] } },
      ...more,
    },
  };
}

export const subresources: Theme = {
  name: "subresources",
  cases: {
    "a status in a creation is dropped": async ({ of, widgets }) => {
      const made = taken(
        await of(widgets).create({
          metadata: { name: "dropped" },
          spec: { size: 1 },
          status: { phase: "x" },
        }),
      );
      expect(made).not.toHaveProperty("status");
    },

    "a status in an update is ignored": async ({ of, widgets }) => {
      const made = taken(await of(widgets).create({ metadata: { name: "ignored" } }));
      taken(
        await of(widgets)
          .sub("status")
          .replace({ ...made, status: { phase: "kept" } }),
        200,
      );
      const { metadata } = taken(await of(widgets).get("ignored"));
      const updated = taken(
        await of(widgets).replace({ metadata, spec: { size: 2 }, status: { phase: "lost" } }),
      );
      expect(updated).toMatchObject({ spec: { size: 2 }, status: { phase: "kept" } });
    },

    "a status update changes the status alone": async ({ of, widgets }) => {
      const made = taken(
        await of(widgets).create({ metadata: { name: "alone", labels: { a: "1" } }, spec: { size: 1 } }),
      );
      const answer = await of(widgets)
        .sub("status")
        .replace({
          ...made,
          metadata: {
            ...made.metadata,
            labels: { a: "2" },
            annotations: { b: "3" },
            finalizers: ["example.com/x"],
          },
          spec: { size: 9 },
          status: { phase: "new" },
        });
      const updated = taken(answer, 200);
      expect(updated).toMatchObject({ spec: { size: 1 }, status: { phase: "new" } });
      expect(updated.metadata.labels).toEqual({ a: "1" });
      expect(updated.metadata).not.toHaveProperty("annotations");
      expect(updated.metadata).not.toHaveProperty("finalizers");
      expect(updated.metadata.generation).toBe(1);
      expect(updated.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
    },

    "a status update from an old version is a conflict": async ({ of, widgets, group }) => {
      const made = taken(await of(widgets).create({ metadata: { name: "old" } }));
      taken(
        await of(widgets)
          .sub("status")
          .replace({ ...made, status: { phase: "one" } }),
        200,
      );
      refused(
        await of(widgets)
          .sub("status")
          .replace({ ...made, status: { phase: "two" } }),
        409,
        "Conflict",
        `Operation cannot be fulfilled on widgets.${group} "old": the object has been modified; please apply your changes to the latest version and try again`,
      );
    },

    "a status is validated and pruned like the rest": async ({ of, widgets, group }) => {
      taken(await of(widgets).create({ metadata: { name: "checked" } }));
      refused(
        await of(widgets)
          .sub("status")
          .patch("checked", "merge", { status: { seen: "many" } }),
        422,
        "Invalid",
        `Widget.${group} "checked" is invalid: status.seen: Invalid value: "string": seen in body must be of type integer: "string"`,
      );
      const patched = taken(
        await of(widgets)
          .sub("status")
          .patch("checked", "merge", { status: { seen: 1, odd: true } }),
      );
      expect(patched.status).toEqual({ seen: 1 });
    },

    "the writer of a status is noted with the subresource": async ({ of, widgets, group }) => {
      taken(await of(widgets).create({ metadata: { name: "noted" }, spec: { size: 1 } }));
      const patched = taken(
        await of(widgets)
          .sub("status")
          .patch("noted", "merge", { status: { phase: "x" } }, { fieldManager: "reporter" }),
      );
      expect(patched.metadata.managedFields).toContainEqual({
        manager: "reporter",
        operation: "Update",
        apiVersion: `${group}/v1`,
        time: expect.any(String),
        fieldsType: "FieldsV1",
        fieldsV1: { "f:status": { ".": {}, "f:phase": {} } },
        subresource: "status",
      });
    },

    "the status of an object reads as the object": async ({ of, widgets }) => {
      const made = taken(await of(widgets).create({ metadata: { name: "read" } }));
      expect(taken(await of(widgets).sub("status").get("read"), 200)).toEqual(made);
    },

    "a kind without status subresource writes its status like anything else": async ({
      of,
      group,
      install,
    }) => {
      const crd = plainCrd(group, "Bare", {
        type: "object",
        properties: {
          spec: { type: "object", properties: { a: { type: "string" } } },
          status: { type: "object", properties: { b: { type: "string" } } },
        },
      });
      const bare = of(await install(crd));
      const made = taken(
        await bare.create({ metadata: { name: "x" }, spec: { a: "1" }, status: { b: "1" } }),
      );
      expect(made.status).toEqual({ b: "1" });
      const patched = taken(await bare.patch("x", "merge", { status: { b: "2" } }));
      expect(patched.status).toEqual({ b: "2" });
      expect(patched.metadata.generation).toBe(2);
      refused(await bare.sub("status").get("x"), 404, "NotFound", `bares.${group} "x" not found`);
    },

    "a subresource that a kind does not have is not found": async ({ of }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "none" } }));
      const answer = await of(ConfigMaps).sub("status").get("none");
      refused(answer, 404, "NotFound", "the server could not find the requested resource");
    },

    "the scale of a custom object reads and writes its replicas": async ({ of, widgets, namespace }) => {
      const made = taken(await of(widgets).create({ metadata: { name: "scaled" }, spec: { replicas: 2 } }));
      taken(
        await of(widgets)
          .sub("status")
          .patch("scaled", "merge", { status: { replicas: 1, selector: "a=b" } }),
      );
      const scale = taken(await of(widgets).sub("scale").get("scaled"), 200);
      expect(scale).toEqual({
        kind: "Scale",
        apiVersion: "autoscaling/v1",
        metadata: {
          name: "scaled",
          namespace,
          uid: made.metadata.uid,
          resourceVersion: expect.any(String),
          creationTimestamp: made.metadata.creationTimestamp,
        },
        spec: { replicas: 2 },
        status: { replicas: 1, selector: "a=b" },
      });
      const patched = taken(
        await of(widgets)
          .sub("scale")
          .patch("scaled", "merge", { spec: { replicas: 5 } }),
      );
      expect(patched.spec).toEqual({ replicas: 5 });
      const after = taken(await of(widgets).get("scaled"));
      expect(after).toMatchObject({ spec: { replicas: 5 }, metadata: { generation: 2 } });
    },

    "a custom object without replicas has no scale": async ({ of, widgets }) => {
      taken(await of(widgets).create({ metadata: { name: "unset" } }));
      refused(
        await of(widgets).sub("scale").get("unset"),
        500,
        "InternalError",
        'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
      );
    },

    "scaling an object without a spec stores no defaults; the next write does": async ({ of, widgets }) => {
      taken(await of(widgets).create({ metadata: { name: "bare" } }));
      const scaled = async () =>
        taken(
          await of(widgets)
            .sub("scale")
            .patch("bare", "merge", { spec: { replicas: 5 } }),
        ).metadata.resourceVersion;
      const first = await scaled();
      const shown = taken(await of(widgets).get("bare"));
      expect(shown.spec).toEqual({ mode: "auto", replicas: 5 });
      const second = await scaled();
      expect(second).not.toBe(first);
      expect(await scaled()).toBe(second);
      expect(taken(await of(widgets).get("bare")).metadata.generation).toBe(shown.metadata.generation);
    },

    "a Deployment is scaled, and its generation grows": async ({ of }) => {
      taken(await of(Deployments).create(workload("web", 0)), 201);
      const scale = taken(await of(Deployments).sub("scale").get("web"), 200);
      expect(scale).toMatchObject({ kind: "Scale", apiVersion: "autoscaling/v1", spec: {} });
      expect(scale.status).toMatchObject({ replicas: 0, selector: "app=web" });
      const changed = taken(
        await of(Deployments)
          .sub("scale")
          .replace({
            apiVersion: "autoscaling/v1",
            kind: "Scale",
            metadata: { name: "web" },
            spec: { replicas: 3 },
          }),
        200,
      );
      expect(changed.spec).toEqual({ replicas: 3 });
      const after = taken(await of(Deployments).get("web"));
      expect(after).toMatchObject({ spec: { replicas: 3 }, metadata: { generation: 2 } });
      taken(await of(Deployments).delete("web", { propagationPolicy: "Background" }));
    },

    "a StatefulSet is scaled by a merge patch": async ({ of }) => {
      taken(await of(StatefulSets).create(workload("db", 0, { serviceName: "db" })), 201);
      const patched = taken(
        await of(StatefulSets)
          .sub("scale")
          .patch("db", "merge", { spec: { replicas: 2 } }),
      );
      expect(patched.spec).toEqual({ replicas: 2 });
      taken(await of(StatefulSets).delete("db", { propagationPolicy: "Background" }));
    },

    "a negative scale is refused": async ({ of }) => {
      taken(await of(Deployments).create(workload("negative", 0)), 201);
      refused(
        await of(Deployments)
          .sub("scale")
          .patch("negative", "merge", { spec: { replicas: -1 } }),
        422,
        "Invalid",
        'Scale.autoscaling "negative" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      );
    },
  },
};
