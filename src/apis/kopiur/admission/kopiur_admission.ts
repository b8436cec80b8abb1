import { CRD_LABELS } from "../../../kinds/kopiur/labels.ts";
import type { Webhook } from "../../../kube/admission/webhook.ts";
import type { WebhookConfigurationOptions } from "../../../kube/admission/webhook_configuration.ts";
import type { Informers } from "../../../kube/cache/informers.ts";
import { cachedLookup } from "./cached_lookup.ts";
import { type KopiurWebhooksOptions, kopiurWebhooks } from "./kopiur_webhooks.ts";

export interface KopiurAdmissionOptions extends Omit<KopiurWebhooksOptions, "lookup"> {
  /** The caches are asked for here, and run by the informers. */
  readonly informers: Pick<Informers, "cache">;
}

/** What to serve, and what to tell the API server of it. */
export interface KopiurAdmission {
  readonly webhooks: readonly Webhook[];
  /** For `ensureWebhooks`, which is also told how they are reached. */
  readonly configuration: Pick<WebhookConfigurationOptions, "name" | "webhooks" | "labels">;
}

/** The name of both configurations. */
export const KOPIUR_WEBHOOKS = "holdfast-kopiur";

/** The admission of this API: what it has to refuse is refused at the door, and what depends on others is filled in. */
export function kopiurAdmission(options: KopiurAdmissionOptions): KopiurAdmission {
  const { informers, ...ports } = options;
  const webhooks = kopiurWebhooks({ ...ports, lookup: cachedLookup(informers, options.namespace) });
  return { webhooks, configuration: { name: KOPIUR_WEBHOOKS, webhooks, labels: CRD_LABELS } };
}
