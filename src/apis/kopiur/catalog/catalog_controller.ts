import { catalogController as showing } from "../../../core/catalog/catalog_controller.ts";
import type { Catalog } from "../../../core/catalog/refresh_catalog.ts";
import { secretsNamespace, sessionRequestOn } from "../../../core/repository/session_request.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { Controller } from "../../../kube/controller/controller.ts";
import { keyOf } from "../../../kube/object.ts";
import type { KopiurPorts } from "../ports.ts";
import { type AnyRepository, resourceOfRepository } from "../references.ts";
import { findRepository } from "../repository_use.ts";
import { runContextOf } from "../run_context.ts";
import { catalogOfBackups } from "./catalog_of_backups.ts";

/** Shows what is in repositories as Backups, and says of Backups what is in the repositories no more. */
export function catalogController(ports: KopiurPorts): Controller {
  return showing(ports, catalogOf(ports));
}

export function catalogOf(ports: KopiurPorts): Catalog<Backup> {
  const { caches } = ports;
  const { repositories, clusterRepositories } = caches;
  return {
    name: "kopiur-catalog",
    caches: [repositories, ...(clusterRepositories ? [clusterRepositories] : [])],
    find: (key) => findRepository(caches, key),
    resourceOf: ({ metadata }) => resourceOfRepository(metadata),
    namespaceOf: (name) => caches.namespaces.get(keyOf({ name })),
    session: async (repository: AnyRepository, signal) => {
      const context = await runContextOf(ports, repository, secretsNamespace(repository), signal);
      return sessionRequestOn(context, resourceOfRepository(repository.metadata));
    },
    objects: catalogOfBackups(caches),
  };
}
