import { expect, test } from "vitest";
import { refuseRepository } from "../../../src/cli/restore/refuse_repository.ts";
import { resticRepositoryResource } from "../../../src/kinds/autorestore/generated/restic_repository.ts";
import { backupConfigResource } from "../../../src/kinds/kopiur/generated/backup_config.ts";
import { clusterRepositoryResource } from "../../../src/kinds/kopiur/generated/cluster_repository.ts";
import { repositoryResource } from "../../../src/kinds/kopiur/generated/repository.ts";
import type { Reader } from "../../../src/kube/client.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { VIEWS } from "../../../src/main/views.ts";

const onVolume = (name: string, claim: string, namespace?: string) => ({
  metadata: { namespace, name },
  spec: { backend: { filesystem: { pvc: { name: claim } } } },
});
const OBJECTS = new Map<unknown, readonly unknown[]>([
  [
    repositoryResource,
    [
      { metadata: { namespace: "home", name: "s3" }, spec: { backend: { s3: {} } } },
      onVolume("nas", "store", "home"),
    ],
  ],
  [clusterRepositoryResource, [onVolume("commons", "shelf")]],
  [
    backupConfigResource,
    [
      {
        metadata: { namespace: "home", name: "data" },
        spec: { sources: [], repository: { kind: "ClusterRepository", name: "commons" } },
      },
    ],
  ],
  [
    resticRepositoryResource,
    [{ metadata: { namespace: "home", name: "box" }, spec: { volume: { claimName: "boxed" } } }],
  ],
]);
const client = {
  list: async (resource: Resource) => ({ items: OBJECTS.get(resource) ?? [] }),
} as unknown as Pick<Reader, "list">;

const refused = (name: string) =>
  refuseRepository(client, VIEWS, { namespace: "home", name }, new AbortController().signal).then(
    () => undefined,
    ({ message }: Error) => message,
  );

test.each([
  ["store", "the claim home/store holds the backups of Repository home/nas"],
  ["shelf", "the claim home/shelf holds the backups of ClusterRepository commons"],
  ["boxed", "the claim home/boxed holds the backups of ResticRepository home/box"],
  ["data", undefined],
])("a claim that holds a repository of any API is refused: %s", async (name, message) => {
  expect(await refused(name)).toBe(message);
});
