import { type Survey, survey } from "../../../core/catalog/survey.ts";
import type { KopiurPorts } from "../ports.ts";
import type { ReadyRepository } from "../references.ts";
import { backupsOf, beforeListing } from "./before_listing.ts";
import { carryOutCatalog } from "./carry_out_catalog.ts";
import { type CatalogDecision, decideCatalog } from "./decide_catalog.ts";
import { listSnapshots } from "./list_snapshots.ts";
import { placement } from "./placement.ts";
import { rowNames } from "./row_name.ts";

const DAY = 86_400_000;

/** Reads the repository's list, and does what follows from it for Backups. */
export async function refreshCatalog(
  ports: KopiurPorts,
  repository: ReadyRepository,
  signal: AbortSignal,
): Promise<CatalogDecision & { readonly survey: Survey }> {
  const { caches, client, bulk = client, clock, settings } = ports;
  const before = beforeListing(backupsOf(caches, repository));
  const { perIdentity, maxAgeDays } = repository.spec.catalog.retain;
  const found = await survey(listSnapshots(ports, repository, {}, signal), {
    ...before,
    nameOf: rowNames(repository),
    limits: { perIdentity, maxAge: maxAgeDays * DAY },
    now: clock.now(),
  });
  const backups = backupsOf(caches, repository);
  const place = placement(repository, caches, settings);
  const decision = decideCatalog({ repository, before, survey: found, backups, place, now: clock.now() });
  await carryOutCatalog(bulk, decision, signal);
  return { ...decision, survey: found };
}
