import { expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { sampleBackup, sampleRestore } from "../data_path/testing/samples.ts";
import { createRepository } from "./create_repository.ts";

const signal = new AbortController().signal;

/** A cluster with or without a Velero server. */
function cluster(server: boolean) {
  const created: KubeObject[] = [];
  const client = {
    get: async () => {
      if (server) return { metadata: { name: "velero" } };
      throw new ApiError({ request: "GET", code: 404, status: { reason: "NotFound" } });
    },
    create: async (_: unknown, draft: KubeObject) => {
      created.push(draft);
      return draft;
    },
  };
  return { created, ports: { client } as never };
}

test("a repository is left to a Velero server, be it stopped", async () => {
  const { created, ports } = cluster(true);
  await createRepository(ports, sampleBackup, signal);
  expect(created).toEqual([]);
});

test.each([
  ["backup", sampleBackup],
  ["restore", sampleRestore],
])("where there is no server, a %s gets the repository of its namespace", async (_, object) => {
  const { created, ports } = cluster(false);
  await createRepository(ports, object, signal);
  expect(created).toMatchObject([
    {
      metadata: {
        namespace: "velero",
        name: "shop-default-kopia",
        labels: {
          "velero.io/volume-namespace": "shop",
          "velero.io/storage-location": "default",
          "velero.io/repository-type": "kopia",
        },
      },
      spec: { volumeNamespace: "shop", backupStorageLocation: "default", repositoryType: "kopia" },
    },
  ]);
});
