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
];
