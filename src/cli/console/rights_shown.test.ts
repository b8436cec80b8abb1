import { expect, test } from "vitest";
import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { ApiError } from "../../kube/api_error.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Call } from "../frame/command.ts";
import { Given } from "../frame/given.ts";
import { backupOf, native } from "../testing/cli_samples.ts";
import { rightsShown } from "./rights_shown.ts";

interface Attributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
}

const textOf = ({ verb, resource, subresource, namespace = "*" }: Attributes) =>
  `${verb} ${resource}${subresource ? `/${subresource}` : ""} @${namespace}`;

/** Everything is in namespace `shop`; the repository is a ClusterRepository, whose Secret is in `vault`. */
function callBy(may: (right: string) => boolean, hidden = false): { call: Call; asked: string[] } {
  const asked: string[] = [];
  const resolved = { repository: { kind: "ClusterRepository", name: "store", uniqueID: "u" } };
  const { metadata, ...repository } = native("ClusterRepository", "store", {
    spec: { encryption: { passwordSecretRef: { namespace: "vault", name: "store" } } },
    status: { uniqueID: "u", maintenanceRef: { namespace: "ops", name: "m" } },
  });
  const client = {
    get: async (resource: Resource) => {
      if (hidden) throw new ApiError({ request: "GET", code: 403, status: { reason: "Forbidden" } });
      return (resource as unknown) === backupResource
        ? backupOf("data", "monday", { resolved })
        : { ...repository, metadata: { name: metadata.name } };
    },
    create: async (_: Resource, review: KubeObject) => {
      const { resourceAttributes } = (review as unknown as { spec: { resourceAttributes: Attributes } }).spec;
      asked.push(textOf(resourceAttributes));
      return { status: { allowed: may(textOf(resourceAttributes)) } };
    },
  };
  const call = {
    given: new Given([], { namespace: "shop" }),
    signal: new AbortController().signal,
    cluster: async () => ({ client, namespace: "shop" }),
  } as unknown as Call;
  return { call, asked };
}

/** What may not be done by whoever may do all but these. */
async function denied(...lacks: readonly string[]): Promise<readonly string[]> {
  const { call } = callBy((right) => !lacks.includes(right));
  const rights = await rightsShown(call, "shop", "backup/monday");
  return Object.entries(rights).flatMap(([action, { allowed }]) => (allowed ? [] : [action]));
}

test.each([
  ["create backups @shop", ["backup"]],
  ["create restores @shop", ["restore", "drill"]],
  ["delete persistentvolumeclaims @shop", ["drill"]],
  ["patch backups @shop", ["hold", "cancel Backup", "retry Backup"]],
  ["patch restores @shop", ["cancel Restore", "retry Restore"]],
  ["delete backups @shop", ["delete Backup"]],
  ["delete restores @shop", ["drill", "delete Restore"]],
  ["patch backupschedules @shop", ["suspend"]],
  ["patch maintenances @shop", ["cancel Maintenance", "retry Maintenance"]],
  ["patch repositories @shop", ["retry Repository"]],
  ["patch clusterrepositories @*", ["retry ClusterRepository"]],
  // Where the object is that is maintained, and where the session runs.
  ["patch maintenances @ops", ["maintain"]],
  ["create jobs @vault", ["files"]],
  ["create pods/exec @vault", ["files"]],
  ["create jobs @shop", []],
  ["create backupconfigs @shop", []],
])("whoever may not %s may not: %j", async (right, actions) => {
  expect(await denied(right)).toEqual(actions);
});

test("what is missing is named, with where", async () => {
  const { call } = callBy((right) => right !== "create jobs @vault");
  expect((await rightsShown(call, "shop", "backup/monday")).files).toEqual({
    allowed: false,
    why: "you may not create jobs.batch in namespace vault",
  });
});

test.each([
  ["nothing is named", undefined, false],
  ["what is named may not be looked at", "backup/monday", true],
  ["what is named is nothing", "x/y/z", false],
])("what is not known is not denied: %s", async (_, of, hidden) => {
  const { call } = callBy(() => false, hidden);
  const { files, maintain, backup } = await rightsShown(call, "shop", of);
  expect([files.allowed, maintain.allowed, backup.allowed]).toEqual([true, true, false]);
});

test("each right is asked for once", async () => {
  const { call, asked } = callBy(() => true);
  await rightsShown(call, "shop", "backup/monday");
  expect(asked.length).toBe(new Set(asked).size);
});
