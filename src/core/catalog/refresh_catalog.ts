import type { Cache } from "../../kube/cache/cache.ts";
import type { KubeObject, ObjectKey } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Result } from "../../lib/result.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import type { Problem } from "../reconcile/problem.ts";
import type { Ready } from "../repository/repository.ts";
import type { SessionRequest } from "../work/session/session_request.ts";
import type { SnapshotHolder } from "./absence.ts";
import { applyCatalog } from "./apply_catalog.ts";
import { beforeListing, type CatalogObjects } from "./catalog_objects.ts";
import type { CatalogRepository } from "./catalog_repository.ts";
import { type CatalogDecision, decideCatalog } from "./decide_catalog.ts";
import { listSnapshots } from "./list_snapshots.ts";
import { placement } from "./placement.ts";
import { rowNames } from "./row_name.ts";
import { type Survey, survey } from "./survey.ts";

const DAY = 86_400_000;

/** How an API keeps its repositories, and shows what is in them. */
export interface Catalog<T extends SnapshotHolder> {
  /** The controller's, as in logs and metrics. */
  readonly name: string;
  readonly caches: readonly Cache<CatalogRepository>[];
  find(key: ObjectKey): CatalogRepository | undefined;
  resourceOf(repository: CatalogRepository): Resource<CatalogRepository>;
  namespaceOf(name: string): KubeObject | undefined;
  /** What a session with the repository needs; or why there can be none. */
  session(repository: CatalogRepository, signal: AbortSignal): Promise<Result<SessionRequest, Problem>>;
  readonly objects: CatalogObjects<T>;
}

/** Reads the repository's list, and does what follows from it for the objects that stand for snapshots. */
export async function refreshCatalog<T extends SnapshotHolder>(
  room: Pick<EngineRoom, "client" | "bulk" | "clock" | "settings" | "sessions">,
  { objects, session, namespaceOf }: Catalog<T>,
  repository: Ready<CatalogRepository>,
  signal: AbortSignal,
): Promise<CatalogDecision<T> & { readonly survey: Survey }> {
  const { client, bulk = client, clock, settings } = room;
  const before = beforeListing(objects, objects.of(repository));
  const { perIdentity, maxAgeDays } = repository.spec.catalog.retain;
  const { uniqueID } = repository.status;
  const listed = { request: await session(repository, signal), uniqueID };
  const found = await survey(listSnapshots(room, listed, {}, signal), {
    ...before,
    nameOf: rowNames(repository),
    limits: { perIdentity, maxAge: maxAgeDays * DAY },
    now: clock.now(),
  });
  const present = objects.of(repository);
  const place = placement(repository, namespaceOf, settings);
  const decision = decideCatalog({
    repository,
    objects,
    before,
    survey: found,
    present,
    place,
    now: clock.now(),
  });
  await applyCatalog(bulk, objects, decision, signal);
  return { ...decision, survey: found };
}
