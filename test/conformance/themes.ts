import { webhooks } from "./webhooks.ts";
import { validationAndPruning } from "./validation_and_pruning.ts";
import { namespaces } from "./namespaces.ts";
import { garbageCollection } from "./garbage_collection.ts";
import { finalizersAndDeletion } from "./finalizers_and_deletion.ts";
import { crds } from "./crds.ts";
import { cel } from "./cel.ts";
import { apply } from "./apply.ts";
import { dryRuns } from "./dry_run.ts";
import { errors } from "./errors.ts";
import { listsAndPaging } from "./lists_and_paging.ts";
import { metadata } from "./metadata.ts";
import { objects } from "./objects.ts";
import { patches } from "./patches.ts";
import { selectors } from "./selectors.ts";
import { subresources } from "./subresources.ts";
import { watches } from "./watches.ts";
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
  dryRuns,
  errors,
  validationAndPruning,
  crds,
  cel,
  finalizersAndDeletion,
  garbageCollection,
  namespaces,
  webhooks,
];
