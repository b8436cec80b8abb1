import { KINDS } from "../../../kinds/kopiur/kinds.ts";
import type { Right } from "../../../kube/rights.ts";
import { releaseRights } from "../../../kube/write/release_rights.ts";
import { crdRemovalRights } from "../../../kube/write/remove_crds.ts";
import { KOPIUR_FINALIZERS } from "../kopiur_finalizers.ts";
import { UNREGISTER_RIGHTS } from "../restore/populate/register_populator.ts";

/** What `letGoOfKopiur` asks for beside the removal of the webhooks, where this API was served. */
export const KOPIUR_LEAVING_RIGHTS: readonly Right[] = [
  ...KOPIUR_FINALIZERS.map(releaseRights),
  ...UNREGISTER_RIGHTS,
  ...crdRemovalRights(KINDS.map(({ resource }) => resource)),
];
