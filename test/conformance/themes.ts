import { apply } from "./apply.ts";
import { applyToLists } from "./apply_to_lists.ts";
import { cel } from "./cel.ts";
import { crds } from "./crds.ts";
import { dryRuns } from "./dry_run.ts";
import { errors } from "./errors.ts";
import { execs } from "./exec.ts";
import { finalizersAndDeletion } from "./finalizers_and_deletion.ts";
import { garbageCollection } from "./garbage_collection.ts";
import { jobs } from "./jobs.ts";
import { listsAndPaging } from "./lists_and_paging.ts";
import { metadata } from "./metadata.ts";
import { namespaces } from "./namespaces.ts";
import { objects } from "./objects.ts";
import { patches } from "./patches.ts";
import { podsAndLogs } from "./pods_and_logs.ts";
import { selectors } from "./selectors.ts";
import { snapshots } from "./snapshots.ts";
import { subresources } from "./subresources.ts";
import { validationAndPruning } from "./validation_and_pruning.ts";
import { volumes } from "./volumes.ts";
import { watches } from "./watches.ts";
import { webhooks } from "./webhooks.ts";
import type { Theme } from "./world/world.ts";

/** The suite. */
export const themes: readonly Theme[] = [
  objects,
  metadata,
  listsAndPaging,
  selectors,
  watches,
  subresources,
  patches,
  apply,
  applyToLists,
  dryRuns,
  errors,
  validationAndPruning,
  crds,
  cel,
  finalizersAndDeletion,
  garbageCollection,
  namespaces,
  webhooks,
  jobs,
  podsAndLogs,
  execs,
  volumes,
  snapshots,
];
