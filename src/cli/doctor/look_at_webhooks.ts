import { X509Certificate } from "node:crypto";
import { webhooksName } from "../../core/api.ts";
import type { ShownObject } from "../../core/view/shown_object.ts";
import { ApiError, isForbidden, isNotFound } from "../../kube/api_error.ts";
import {
  EndpointSlices,
  MutatingWebhookConfigurations,
  Secrets,
  Services,
  ValidatingWebhookConfigurations,
} from "../../kube/builtin.ts";
import { pemBlocks, validityOf } from "../../kube/certificates/read_certificate.ts";
import type { Validity } from "../../kube/certificates/x509.ts";
import type { Draft } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { namespaceOf } from "../frame/scope.ts";
import type { SeenWebhooks, WebhookConfiguration } from "./judge_webhooks.ts";

/** The label by which webhooks of an operator of one namespace know it. */
const NAMESPACE_NAME = "kubernetes.io/metadata.name";

/** Looks at the webhooks of Holdfast, and has the API server call one of each configuration. */
export async function lookAtWebhooks(call: Call, cluster: Cluster): Promise<readonly SeenWebhooks[]> {
  const { client } = cluster;
  const { signal } = call;
  const lists = await Promise.all(
    [ValidatingWebhookConfigurations, MutatingWebhookConfigurations].map((kind) =>
      client.list(kind, { signal }),
    ),
  );
  const views = await call.views();
  const kinds = views.flatMap((view) => view.kinds.map(({ resource }) => resource));
  const ours = lists
    .flatMap(({ items }) => items as readonly WebhookConfiguration[])
    .filter(({ metadata: { name } }) =>
      views.some(({ api }) => name === webhooksName(api) || name.startsWith(`${webhooksName(api)}-`)),
    );
  return Promise.all(
    ours.map(async (configuration) => {
      const services = servicesOf(configuration);
      const [lost, idle, served, failure] = await Promise.all([
        those(services, async (service) => !(await seen(() => client.get(Services, service, { signal })))),
        those(services, (service) => isIdle(call, cluster, service)),
        servedBy(call, cluster, configuration),
        failureOf(call, cluster, { configuration, kinds }),
      ]);
      const authorities = authoritiesOf(configuration);
      return { configuration, lostServices: lost, idleServices: idle, authorities, served, failure };
    }),
  );
}

interface GuardedKinds {
  readonly configuration: WebhookConfiguration;
  /** Of all APIs. */
  readonly kinds: readonly Resource<ShownObject>[];
}

interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

function servicesOf({ webhooks = [] }: WebhookConfiguration): readonly ServiceName[] {
  const all = webhooks.flatMap(({ clientConfig: { service } }) => service ?? []);
  return [...new Map(all.map((one) => [`${one.namespace}/${one.name}`, one])).values()];
}

async function those(
  services: readonly ServiceName[],
  isSo: (service: ServiceName) => Promise<boolean>,
): Promise<readonly string[]> {
  const judged = await Promise.all(services.map(async (service) => ({ service, so: await isSo(service) })));
  return judged.flatMap(({ service, so }) => (so ? [`${service.namespace}/${service.name}`] : []));
}

/** Undefined for what is not there. */
async function seen<T>(look: () => Promise<T>): Promise<T | undefined> {
  return look().catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** Whoever may not look at endpoints does not know; a call tells as well. */
async function isIdle(
  { signal }: Call,
  { client }: Cluster,
  { namespace, name }: ServiceName,
): Promise<boolean> {
  const labelSelector = `kubernetes.io/service-name=${name}`;
  try {
    const { items } = await client.list(EndpointSlices, { namespace, labelSelector, signal });
    // Without any slice, nothing has looked at the Service yet.
    const endpoints = items.flatMap((slice) => slice.endpoints ?? []);
    return items.length > 0 && !endpoints.some(({ conditions }) => conditions?.ready !== false);
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return false;
    throw error;
  }
}

function authoritiesOf({ webhooks = [] }: WebhookConfiguration): readonly Validity[] | undefined {
  try {
    const bundles = new Set(webhooks.map(({ clientConfig }) => clientConfig.caBundle ?? ""));
    return [...bundles].flatMap((bundle) =>
      pemBlocks(Buffer.from(bundle, "base64").toString()).map((pem) => validityOf(new X509Certificate(pem))),
    );
  } catch {
    return undefined;
  }
}

/** The certificate that the operator made for itself, for those who may read it. Its key is not looked at. */
async function servedBy(
  { signal }: Call,
  { client }: Cluster,
  configuration: WebhookConfiguration,
): Promise<Validity | undefined> {
  const [service] = servicesOf(configuration);
  if (!service) return undefined;
  const name = { namespace: service.namespace, name: `${configuration.metadata.name}-certificates` };
  try {
    const { data } = await client.get(Secrets, name, { signal });
    const [pem] = pemBlocks(Buffer.from(data?.["tls.crt"] ?? "", "base64").toString());
    return pem === undefined ? undefined : validityOf(new X509Certificate(pem));
  } catch (error) {
    if (error instanceof ApiError && !isForbidden(error) && !isNotFound(error)) throw error;
    return undefined;
  }
}

/**
 * Tries out the creation of an object that one of the webhooks guards: the API server itself says whether it can call
 * it. Only one without which writes are refused tells, and all are served by the same program.
 */
async function failureOf(
  call: Call,
  cluster: Cluster,
  { configuration: { webhooks = [] }, kinds }: GuardedKinds,
): Promise<string | undefined> {
  const { signal, random } = call;
  const strict = webhooks.filter(({ failurePolicy }) => failurePolicy !== "Ignore");
  const guardOf = ({ plural, group, namespaced }: Resource) =>
    strict.find(
      ({ rules = [] }) =>
        namespaced &&
        rules.some(
          ({ resources = [], apiGroups = [] }) => resources.includes(plural) && apiGroups.includes(group),
        ),
    );
  const kind = kinds.find(guardOf);
  if (!kind) return undefined;
  const guarded = guardOf(kind)?.namespaceSelector?.matchLabels?.[NAMESPACE_NAME];
  const namespace = guarded ?? namespaceOf(call, cluster);
  const metadata = { namespace, name: `holdfast-doctor-${random.hex(4)}` };
  const draft: Draft<ShownObject> & { readonly spec: object } = { metadata, spec: {} };
  return cluster.client.create(kind, draft, { dryRun: true, signal }).then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      const at = error.said.indexOf("failed calling webhook");
      // Any other answer was given after the webhook was called, or by somebody who may not try.
      return at < 0 ? undefined : error.said.slice(at);
    },
  );
}
