import { expect } from "vitest";
import { ConfigMaps } from "../../src/kube/builtin.ts";
import { refused, taken } from "./world/expectations.ts";
import type { Theme } from "./world/world.ts";

const dryRun = "All";

export const dryRuns: Theme = {
  name: "dry run",
  cases: {
    "a creation answers as if, and stores nothing": async ({ of, widgets, namespace }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        const made = taken(await things.create({ metadata: { name: "made" } }, { dryRun }), 201);
        expect(made.metadata).toMatchObject({ name: "made", namespace, uid: expect.any(String) });
        expect(made.metadata).not.toHaveProperty("resourceVersion");
        expect((await things.get("made")).code).toBe(404);
      }
    },

    "a creation of what exists is refused": async ({ of }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "exists" } }));
      refused(
        await of(ConfigMaps).create({ metadata: { name: "exists" } }, { dryRun }),
        409,
        "AlreadyExists",
        'configmaps "exists" already exists',
      );
    },

    "an update shows its result, and changes nothing": async ({ of }) => {
      const made = taken(await of(ConfigMaps).create({ metadata: { name: "update" }, data: { a: "1" } }));
      const updated = taken(await of(ConfigMaps).replace({ ...made, data: { a: "2" } }, { dryRun }), 200);
      expect(updated.data).toEqual({ a: "2" });
      expect(updated.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
      expect(taken(await of(ConfigMaps).get("update"))).toEqual(made);
    },

    "a patch is validated, and changes nothing": async ({ of, widgets, group }) => {
      const made = taken(await of(widgets).create({ metadata: { name: "patch" }, spec: { size: 1 } }));
      const patched = taken(
        await of(widgets).patch("patch", "merge", { spec: { size: 2 } }, { dryRun }),
        200,
      );
      expect(patched).toMatchObject({ spec: { size: 2 }, metadata: { generation: 2 } });
      refused(
        await of(widgets).patch("patch", "merge", { spec: { size: -1 } }, { dryRun }),
        422,
        "Invalid",
        `Widget.${group} "patch" is invalid: spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0`,
      );
      expect(taken(await of(widgets).get("patch"))).toEqual(made);
    },

    "an apply finds its conflicts, and creates nothing": async ({ of }) => {
      taken(await of(ConfigMaps).apply({ metadata: { name: "new" }, data: { a: "1" } }, { dryRun }), 201);
      expect((await of(ConfigMaps).get("new")).code).toBe(404);
      taken(await of(ConfigMaps).create({ metadata: { name: "old" }, data: { a: "1" } }));
      const answer = await of(ConfigMaps).apply({ metadata: { name: "old" }, data: { a: "2" } }, { dryRun });
      refused(answer, 409, "Conflict", /^Apply failed with 1 conflict/);
    },

    "a deletion leaves the object": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        const made = taken(await things.create({ metadata: { name: "delete" } }));
        expect(taken(await things.delete("delete", { dryRun: ["All"] }), 200)).toMatchObject({
          kind: "Status",
          status: "Success",
        });
        expect(taken(await things.get("delete"))).toEqual(made);
        taken(await things.delete("delete", {}, { dryRun }));
        expect((await things.get("delete")).code).toBe(404);
      }
    },

    "a deletion of a collection leaves all": async ({ of }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "all", labels: { set: "all" } } }));
      taken(await of(ConfigMaps).deleteCollection({ labelSelector: "set=all" }, { dryRun: ["All"] }), 200);
      taken(await of(ConfigMaps).get("all"), 200);
    },

    "a status update changes nothing": async ({ of, widgets }) => {
      const made = taken(await of(widgets).create({ metadata: { name: "status" } }));
      const updated = taken(
        await of(widgets)
          .sub("status")
          .replace({ ...made, status: { phase: "x" } }, { dryRun }),
        200,
      );
      expect(updated.status).toEqual({ phase: "x" });
      expect(taken(await of(widgets).get("status"))).not.toHaveProperty("status");
    },

    "there is only the dry run of all stages": async ({ of }) => {
      refused(
        await of(ConfigMaps).create({ metadata: { name: "some" } }, { dryRun: "Some" }),
        422,
        "Invalid",
        'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
      );
      refused(
        await of(ConfigMaps).delete("some", { dryRun: ["Some"] }),
        422,
        "Invalid",
        'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
      );
    },
  },
};
