import { MutatingWebhookConfigurations, Secrets, ValidatingWebhookConfigurations } from "../builtin.ts";
import { SelfSubjectReviews } from "../client/who_am_i.ts";
import type { Condition, Right } from "../rights.ts";

export interface WebhookRightsOptions {
  /** The name of both configurations. */
  readonly configuration: string;
  /** The Secret that certificates are kept in. */
  readonly secret: string;
  readonly when: readonly Condition[];
}

const CONFIGURATIONS = [ValidatingWebhookConfigurations, MutatingWebhookConfigurations];

/** What taking webhooks of that name back asks for, also those of an earlier start, where none are served now. */
export function webhookRemovalRights(configuration: string): readonly Right[] {
  return CONFIGURATIONS.map((resource) => ({
    resource,
    names: [configuration],
    verbs: ["get", "delete"],
    why: "webhooks that nobody serves any more would refuse writes",
  }));
}

/** What serving webhooks asks for, besides taking them back. */
export function webhookRights({ configuration, secret, when }: WebhookRightsOptions): readonly Right[] {
  const own = { home: true, when: [...when, "webhooks", "ownCertificates"] } as const;
  const kept = "the webhooks' own certificates are kept in one Secret";
  return [
    ...CONFIGURATIONS.map(
      (resource): Right => ({
        resource,
        names: [configuration],
        // To create by server-side apply is asked for with the name.
        verbs: ["get", "create", "update", "patch"],
        when: [...when, "webhooks"],
        why: "the API server is told of the webhooks, and whom to trust",
      }),
    ),
    { resource: Secrets, ...own, verbs: ["create"], why: kept },
    { resource: Secrets, ...own, names: [secret], verbs: ["get", "update"], why: kept },
    {
      resource: SelfSubjectReviews,
      verbs: ["create"],
      when: [...when, "webhooks"],
      why: "the operator's own writes are told apart from others'",
    },
  ];
}
