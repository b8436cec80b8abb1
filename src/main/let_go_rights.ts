import { kopiurWebhooksName } from "../apis/kopiur/admission/kopiur_admission.ts";
import { KOPIUR_FINALIZERS } from "../apis/kopiur/kopiur_finalizers.ts";
import { UNREGISTER_RIGHTS } from "../apis/kopiur/restore/populate/register_populator.ts";
import { KINDS } from "../kinds/kopiur/kinds.ts";
import { webhookRemovalRights } from "../kube/admission/webhook_rights.ts";
import { leaderRights } from "../kube/controller/leader_rights.ts";
import { OWN_NAMESPACE, type Right } from "../kube/rights.ts";
import { releaseRights } from "../kube/write/release_rights.ts";
import { crdRemovalRights } from "../kube/write/remove_crds.ts";
import { LEASE } from "./operator_settings.ts";

/** All that `letGo` asks for, by whichever operator it comes after. */
export const LET_GO_RIGHTS: readonly Right[] = [
  ...leaderRights(LEASE),
  ...webhookRemovalRights({ configuration: kopiurWebhooksName(), when: ["cluster"] }),
  ...webhookRemovalRights({ configuration: kopiurWebhooksName(OWN_NAMESPACE), when: ["namespaced"] }),
  ...KOPIUR_FINALIZERS.map(releaseRights),
  ...UNREGISTER_RIGHTS,
  ...crdRemovalRights(KINDS.map(({ resource }) => resource)),
];
