import type { GuardPorts } from "../../../core/admission/guard.ts";
import { type Backup, backupResource } from "../../../kinds/cozystack/generated/backup.ts";
import { GROUP } from "../../../kinds/cozystack/group.ts";
import { type Author, may } from "../../../kube/admission/access_review.ts";
import type { Verdict } from "../../../kube/admission/review.ts";
import { type Webhook, webhook } from "../../../kube/admission/webhook.ts";
import type { CallOptions } from "../../../kube/client.ts";
import { jsonEqual } from "../../../lib/json.ts";
import { strategyWithGroup } from "../core/resolve_class.ts";
import { STRATEGIES } from "../drivers/strategies.ts";

type Ports = Pick<GuardPorts<unknown>, "api" | "client" | "isOperator">;

/**
 * Keeps people from making up what drivers trust: a Backup by a strategy of ours says where data is and with which
 * parameters it is restored. Besides the operator only those write one who may change the strategy itself, such as an
 * administrator who brings Backups back after the loss of a cluster. While nobody can tell, nobody writes one.
 */
export function backupAuthorWebhook({ api, client, isOperator }: Ports): Webhook {
  return webhook<Backup>({
    type: "validating",
    name: `author.backups.${GROUP}`,
    path: `/${api}/author/backups`,
    resource: backupResource,
    operations: ["CREATE", "UPDATE"],
    onFailure: "deny",
    timeoutSeconds: 5,
    matchConditions: [
      {
        name: "spec-is-written",
        expression: "request.operation == 'CREATE' || object.spec != oldObject.spec",
      },
      {
        name: "strategy-of-ours",
        expression: `!has(object.spec.strategyRef.apiGroup) || object.spec.strategyRef.apiGroup in ${celList(GROUPS)}`,
      },
    ],
    validate: ({ object, oldObject, user }, signal) =>
      !object || isOperator(user) || (oldObject && jsonEqual(object.spec, oldObject.spec))
        ? { allowed: true }
        : authorOf(object, user, client, { signal }),
  });
}

const GROUPS = ["", ...new Set(STRATEGIES.map(({ group }) => group))];

function celList(values: readonly string[]): string {
  return `[${values.map((value) => `'${value}'`).join(", ")}]`;
}

async function authorOf(
  { spec }: Backup,
  author: Author,
  client: Ports["client"],
  call: CallOptions,
): Promise<Verdict> {
  const { apiGroup, kind, name } = strategyWithGroup(spec.strategyRef);
  const resource = STRATEGIES.find((one) => one.group === apiGroup && one.kind === kind);
  if (!resource || (await may(client, { author, verb: "update", resource, name }, call))) {
    return { allowed: true };
  }
  return {
    allowed: false,
    code: 403,
    message: `spec: Backups by the ${kind} ${name} of ${apiGroup} are written by its driver: they say where data is, and it is restored by what they say. Create a BackupJob, or have someone write this who may update the strategy.`,
  };
}
