import { apiVersionOf } from "../../kube/resource.ts";
import { type Clock, DeadlineExceeded, deadline } from "../../lib/clock.ts";
import { HttpFailure, type HttpSender, readBody } from "../../lib/http.ts";
import { isRecord } from "../../lib/json.ts";
import { LruMap } from "../../lib/lru_map.ts";
import type { Random } from "../../lib/random.ts";
import { messageOf } from "../../lib/result.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import { applyJsonPatch } from "../patch/json_patch.ts";
import type { Store, Stored } from "../store/store.ts";
import type { Admission, Attempt } from "./admission.ts";
import { DecodingError, decode } from "./decode.ts";
import { newUid } from "./new_names.ts";
import { Refusal } from "./refusal.ts";
import type { ServedKinds } from "./served_kinds.ts";
import { conditionsHold, matchedKind, type Webhook } from "./webhook_match.ts";

/** A way to a webhook's server. */
export type WebhookSender = (server: {
  /** Scheme, host and port. */
  readonly url: string;
  /** The authority to trust, in PEM; the system's when absent. */
  readonly ca?: string;
}) => HttpSender;

export interface WebhooksOptions {
  readonly store: Store;
  readonly kinds: ServedKinds;
  readonly clock: Clock;
  readonly random: Random;
  /** Without it no webhook can be reached, and each one's failure policy decides. */
  readonly sender?: WebhookSender;
}

const CONFIGURATIONS = "admissionregistration.k8s.io";

/** Asks the webhooks that are configured, each about what it wants to be asked. */
export class Webhooks implements Admission {
  readonly #options: WebhooksOptions;
  readonly #senders = new LruMap<string, HttpSender>(32);

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /** One after the other, in the order of their names. */
  async mutate(attempt: Attempt & { readonly object: Stored }): Promise<Stored> {
    let { object } = attempt;
    for (const webhook of this.#configured("mutating", attempt)) {
      const asked = { ...attempt, object };
      const patch = await this.#ask(webhook, asked);
      if (patch !== undefined) object = patched(webhook, asked, patch);
    }
    return object;
  }

  /** All at once; the first refusal counts. */
  async validate(attempt: Attempt): Promise<void> {
    if (attempt.operation === "DELETE") {
      for (const webhook of this.#configured("mutating", attempt)) await this.#ask(webhook, attempt);
    }
    await Promise.all(this.#configured("validating", attempt).map((webhook) => this.#ask(webhook, attempt)));
  }

  #configured(type: "mutating" | "validating", { kind }: Attempt): readonly Webhook[] {
    // A webhook that could refuse its own removal would be there for ever.
    if (kind.resource.group === CONFIGURATIONS) return [];
    const { objects } = this.#options.store.list(`${type}webhookconfigurations.${CONFIGURATIONS}`);
    return objects.flatMap(({ webhooks }) => (Array.isArray(webhooks) ? (webhooks as Webhook[]) : []));
  }

  /** The patch that a webhook answers with, if any. Throws the Refusal that its answer, or its absence, means. */
  async #ask(webhook: Webhook, attempt: Attempt): Promise<unknown> {
    const { kinds, store, random } = this.#options;
    const { group, plural } = attempt.kind.resource;
    const versions = kinds.all.filter(
      ({ resource }) => resource.group === group && resource.plural === plural,
    );
    const kind = matchedKind(webhook, attempt, versions, store);
    if (!kind) return undefined;
    const request = requestOf(attempt, kind, newUid(random));
    let response: Readonly<Record<string, unknown>>;
    try {
      if (!conditionsHold(webhook.matchConditions ?? [], request)) return undefined;
      response = await this.#call(webhook, request);
    } catch (error) {
      if (webhook.failurePolicy === "Ignore") return undefined;
      const message = `failed calling webhook ${JSON.stringify(webhook.name)}: ${messageOf(error)}`;
      throw new Refusal(500, "InternalError", `Internal error occurred: ${message}`, {
        causes: [{ message }],
      });
    }
    for (const text of Array.isArray(response.warnings) ? response.warnings : []) attempt.warn(String(text));
    if (response.allowed !== true) throw denial(webhook, response.status);
    return typeof response.patch === "string"
      ? JSON.parse(Buffer.from(response.patch, "base64").toString("utf8"))
      : undefined;
  }

  async #call(
    webhook: Webhook,
    request: { readonly uid: string },
  ): Promise<Readonly<Record<string, unknown>>> {
    const { clock } = this.#options;
    const { timeoutSeconds = 10, clientConfig } = webhook;
    if (clientConfig.url === undefined)
      throw new Error("failed to call webhook: an embedded control plane has no Services: name a url");
    const url = new URL(clientConfig.url);
    url.searchParams.set("timeout", `${timeoutSeconds}s`);
    const failed = (why: string) => new Error(`failed to call webhook: Post "${url}": ${why}`);
    const sender = this.#senderFor(url.origin, clientConfig.caBundle);
    if (!sender) throw failed("this control plane reaches no webhooks");
    using limit = deadline(clock, timeoutSeconds * 1000, "the webhook");
    let status: number;
    let body: Buffer;
    try {
      const answer = await sender.send({
        method: "POST",
        path: url.pathname + url.search,
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", request }),
        signal: limit.signal,
      });
      status = answer.status;
      body = await readBody(answer.body, 16 * 2 ** 20);
    } catch (error) {
      throw failed(networkText(error, url));
    }
    if (status !== 200) throw new Error(`failed to call webhook: the server answered with status ${status}`);
    return responseIn(body, request.uid);
  }

  #senderFor(url: string, caBundle: string | undefined): HttpSender | undefined {
    const key = `${url} ${caBundle ?? ""}`;
    const ca = caBundle ? Buffer.from(caBundle, "base64").toString("utf8") : undefined;
    const sender = this.#senders.get(key) ?? this.#options.sender?.({ url, ...(ca && { ca }) });
    if (sender) this.#senders.set(key, sender);
    return sender;
  }
}

function requestOf(attempt: Attempt, asked: KindInfo, uid: string) {
  const { kind, operation, subresource, name, namespace, object, old, user, dryRun } = attempt;
  const names = ({ resource: { group, version, kind, plural } }: KindInfo) => ({
    kind: { group, version, kind },
    resource: { group, version, resource: plural },
  });
  const apiVersion = apiVersionOf(asked.resource);
  const [own, seen] = [names(kind), names(asked)];
  const options = { CREATE: "CreateOptions", UPDATE: "UpdateOptions", DELETE: "DeleteOptions" }[operation];
  return {
    uid,
    ...seen,
    ...(subresource && { subResource: subresource, requestSubResource: subresource }),
    requestKind: own.kind,
    requestResource: own.resource,
    name,
    ...(namespace && { namespace }),
    operation,
    userInfo: user,
    object: object ? { ...object, apiVersion } : null,
    oldObject: old ? { ...old, apiVersion } : null,
    dryRun,
    options: { kind: options, apiVersion: "meta.k8s.io/v1", ...(dryRun && { dryRun: ["All"] }) },
  };
}

function patched(webhook: Webhook, { kind, object }: Attempt, patch: unknown): Stored {
  try {
    const result = applyJsonPatch(object, patch);
    if (!isRecord(result)) throw new DecodingError("the patch leaves no object");
    return decode(kind, result, { fieldValidation: "Ignore", warn: () => {} });
  } catch (error) {
    const message = `admission webhook ${JSON.stringify(webhook.name)} gave a patch that cannot be applied: ${messageOf(error)}`;
    throw new Refusal(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
  }
}

function responseIn(body: Buffer, uid: string): Readonly<Record<string, unknown>> {
  let review: unknown;
  try {
    review = JSON.parse(body.toString("utf8"));
  } catch (error) {
    throw new Error(`received invalid webhook response: ${messageOf(error)}`);
  }
  const response = isRecord(review) ? review.response : undefined;
  if (!isRecord(response)) throw new Error("received invalid webhook response: webhook response was absent");
  if (response.uid === uid) return response;
  throw new Error(
    `received invalid webhook response: expected response.uid="${uid}", got "${String(response.uid ?? "")}"`,
  );
}

function denial(webhook: Webhook, status: unknown): Refusal {
  const { code, reason, message, details } = isRecord(status) ? status : {};
  const by = `admission webhook ${JSON.stringify(webhook.name)} denied the request`;
  const why = message || reason;
  return new Refusal(
    typeof code === "number" && code > 0 ? code : 400,
    typeof reason === "string" ? reason : "",
    why ? `${by}: ${why}` : `${by} without explanation`,
    isRecord(details) ? details : undefined,
  );
}

function networkText(error: unknown, { host }: URL): string {
  if (error instanceof DeadlineExceeded) return "context deadline exceeded";
  if (error instanceof HttpFailure && error.code === "ECONNREFUSED") {
    return `dial tcp ${host}: connect: connection refused`;
  }
  return messageOf(error);
}
