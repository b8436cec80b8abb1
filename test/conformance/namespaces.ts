import { expect } from "vitest";
import { ConfigMaps, Namespaces, ServiceAccounts } from "../../src/kube/builtin.ts";
import { condition, refused, taken } from "./world/expectations.ts";
import type { Theme } from "./world/world.ts";

export const namespaces: Theme = {
  name: "namespaces",
  cases: {
    "a namespace is active, held by Kubernetes, and labelled with its name": async ({ api, unique }) => {
      const name = unique("ns");
      const made = taken(await api.of(Namespaces).create({ metadata: { name } }), 201);
      expect(made.metadata.labels).toEqual({ "kubernetes.io/metadata.name": name });
      expect(made.spec).toEqual({ finalizers: ["kubernetes"] });
      expect(made.status).toEqual({ phase: "Active" });
      expect(made.metadata).not.toHaveProperty("finalizers");
      taken(await api.of(Namespaces).delete(name));
    },

    "the label with the name cannot be lost": async ({ api, unique }) => {
      const name = unique("ns");
      taken(await api.of(Namespaces).create({ metadata: { name } }), 201);
      const labels = { "kubernetes.io/metadata.name": null, a: "b" };
      const patched = taken(await api.of(Namespaces).patch(name, "merge", { metadata: { labels } }), 200);
      expect(patched.metadata.labels).toEqual({ "kubernetes.io/metadata.name": name, a: "b" });
      taken(await api.of(Namespaces).delete(name));
    },

    "a namespace is a DNS label": async ({ api }) => {
      refused(
        await api.of(Namespaces).create({ metadata: { name: "with.dot" } }),
        422,
        "Invalid",
        `Namespace "with.dot" is invalid: metadata.name: Invalid value: "with.dot": must not contain dots`,
      );
    },

    "a namespace has its default service account": async ({ api, unique }) => {
      const name = unique("ns");
      taken(await api.of(Namespaces).create({ metadata: { name } }), 201);
      await api.of(ServiceAccounts, name).until("default", (o) => o.kind === "ServiceAccount");
      taken(await api.of(Namespaces).delete(name));
    },

    "a deleted namespace takes everything along": async ({ api, unique, widgets }) => {
      const name = unique("ns");
      const spaces = api.of(Namespaces);
      taken(await spaces.create({ metadata: { name } }), 201);
      taken(await api.of(ConfigMaps, name).create({ metadata: { name: "in" } }), 201);
      taken(await api.of(widgets, name).create({ metadata: { name: "in" } }), 201);
      const deleted = taken(await spaces.delete(name), 200);
      expect(deleted.status.phase).toBe("Terminating");
      expect(deleted.metadata).toHaveProperty("deletionTimestamp");
      await spaces.untilGone(name);
      taken(await spaces.create({ metadata: { name } }), 201);
      expect((await api.of(ConfigMaps, name).get("in")).code).toBe(404);
      expect((await api.of(widgets, name).get("in")).code).toBe(404);
      taken(await spaces.delete(name));
    },

    "a namespace that goes waits for finalizers, says so, and takes nothing new": async ({
      api,
      unique,
      widgets,
      group,
    }) => {
      const name = unique("ns");
      const spaces = api.of(Namespaces);
      const things = api.of(widgets, name);
      taken(await spaces.create({ metadata: { name } }), 201);
      taken(await things.create({ metadata: { name: "held", finalizers: ["example.com/hold"] } }), 201);
      taken(await spaces.delete(name), 200);
      await things.until("held", (o) => o.metadata.deletionTimestamp !== undefined);
      const waiting = await spaces.until(
        name,
        (o) => condition(o, "NamespaceFinalizersRemaining")?.status === "True",
      );
      expect(condition(waiting, "NamespaceFinalizersRemaining")).toMatchObject({
        reason: "SomeFinalizersRemain",
        message:
          "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
      });
      expect(condition(waiting, "NamespaceContentRemaining")).toMatchObject({
        status: "True",
        reason: "SomeResourcesRemain",
        message: `Some resources are remaining: widgets.${group} has 1 resource instances`,
      });
      const status = refused(
        await api.of(ConfigMaps, name).create({ metadata: { name: "late" } }),
        403,
        "Forbidden",
        `configmaps "late" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
      );
      expect(status.details).toEqual({
        name: "late",
        kind: "configmaps",
        causes: [
          {
            reason: "NamespaceTerminating",
            message: `namespace ${name} is being terminated`,
            field: "metadata.namespace",
          },
        ],
      });
      taken(await things.patch("held", "merge", { metadata: { finalizers: null } }));
      await spaces.untilGone(name);
    },

    "what is in a namespace that goes can still be changed": async ({ api, unique }) => {
      const name = unique("ns");
      const things = api.of(ConfigMaps, name);
      taken(await api.of(Namespaces).create({ metadata: { name } }), 201);
      taken(await things.create({ metadata: { name: "held", finalizers: ["example.com/hold"] } }), 201);
      taken(await api.of(Namespaces).delete(name));
      taken(await things.patch("held", "merge", { data: { a: "1" } }), 200);
      taken(await things.patch("held", "merge", { metadata: { finalizers: null } }), 200);
      await api.of(Namespaces).untilGone(name);
    },

    "default cannot be deleted": async ({ api }) => {
      for (const name of ["default", "kube-system"])
        refused(
          await api.of(Namespaces).delete(name),
          403,
          "Forbidden",
          `namespaces "${name}" is forbidden: this namespace may not be deleted`,
        );
    },

    "namespaces are not deleted as a collection": async ({ api }) => {
      refused(
        await api.of(Namespaces).deleteCollection({ labelSelector: "no=such" }),
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
      );
    },
  },
};
