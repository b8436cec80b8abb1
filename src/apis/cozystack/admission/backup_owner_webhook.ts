import type { GuardPorts } from "../../../core/admission/guard.ts";
import { type Backup, backupResource } from "../../../kinds/cozystack/generated/backup.ts";
import { GROUP } from "../../../kinds/cozystack/group.ts";
import { type Webhook, webhook } from "../../../kube/admission/webhook.ts";
import { keptOwners } from "../core/kept_owners.ts";

/**
 * Takes the owners away with which a Backup would go. A controller does so too, but a job that is deleted while no operator
 * runs takes its Backups along. While nobody serves this, drivers that set such owners try again; others notice nothing.
 */
export function backupOwnerWebhook({ api }: Pick<GuardPorts<unknown>, "api">): Webhook {
  return webhook<Backup>({
    type: "mutating",
    name: `owners.backups.${GROUP}`,
    path: `/${api}/owners/backups`,
    resource: backupResource,
    operations: ["CREATE", "UPDATE"],
    onFailure: "deny",
    timeoutSeconds: 5,
    matchConditions: [
      {
        name: "goes-with-an-object-of-this-api",
        expression: `!has(object.metadata.deletionTimestamp) && has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(owner, owner.apiVersion.startsWith('${GROUP}/'))`,
      },
    ],
    mutate: ({ object }) => {
      const ownerReferences = object && keptOwners(object);
      if (!ownerReferences) return { allowed: true };
      return { allowed: true, object: { ...object, metadata: { ...object.metadata, ownerReferences } } };
    },
  });
}
