import type { Api, ApiPorts, EndpointPorts, WebhookPorts } from "../../core/api.ts";
import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { ReplicationSources } from "../../kinds/plumber/volsync.ts";
import { may } from "../../kube/admission/access_review.ts";
import type { Webhook } from "../../kube/admission/webhook.ts";
import type { Runnable } from "../../kube/runnable.ts";
import { EventRecorder } from "../../kube/write/events.ts";
import { plumberWebhooks } from "./admission/plumber_webhooks.ts";
import { auditEndpoint } from "./audit/audit_endpoint.ts";
import { plumberCounters, tallyOf } from "./plumber_counters.ts";
import { PLUMBER_RIGHTS } from "./plumber_rights.ts";
import { protectController } from "./protect/protect_controller.ts";
import { repositoryText } from "./repositories.ts";
import { plumberSettings } from "./settings.ts";
import { truthController } from "./truth/truth_controller.ts";
import { unmanagedGauge } from "./unmanaged_gauge.ts";
import { plumberView } from "./view/plumber_view.ts";
import { PlumberWorld } from "./world.ts";

/** Protection by labels: a labelled PVC is backed up, and never comes back empty. */
export const plumber: Api = {
  name: "plumber",
  // The objects that it generates are those of the native API.
  needs: ["kopiur"],
  // Labels are for PVCs of all namespaces.
  wholeCluster: true,
  kinds: [],
  crds: async () => [],
  rights: PLUMBER_RIGHTS,
  removal: { finalizers: [], rights: [] },
  people: { view: [], edit: [] },
  checkSettings: (given) => void plumberSettings(given),
  endpoints: (ports: EndpointPorts) => ({ "/audit": auditEndpoint(new PlumberWorld(ports)) }),
  webhooks,
  controllers,
  // Labels are for PVCs of the whole cluster.
  gauges: ({ informers, namespace }) => (namespace === undefined ? [unmanagedGauge(informers)] : []),
  view: plumberView,
  counters: plumberCounters,
};

function webhooks(ports: WebhookPorts): readonly Webhook[] {
  const { client, clock, random, log, isOperator, operatorNamespace, informers } = ports;
  // Some settings are known only later: none but these is read here.
  const settings = { ofApis: ports.settings.ofApis ?? {}, operatorNamespace };
  const world = new PlumberWorld({ informers, settings, clock });
  const tally = tallyOf(ports.counters);
  tally.readAge(repositoryText(world.settings.repository), world.truth);
  const events = new EventRecorder({ writer: client, clock, random, log, component: "holdfast" });
  return plumberWebhooks({
    world,
    client,
    tally,
    log,
    tell: (about, note) => events.event(about, note),
    mayUse: (author, namespace) => may(client, { author, resource: backupResource, namespace }, {}),
    isOperator,
  });
}

function controllers({ room, informers, counters }: ApiPorts): readonly Runnable[] {
  const { settings, clock } = room;
  const world = new PlumberWorld({ informers, settings, clock });
  const tally = tallyOf(counters);
  const { repository, maps, namespaces, settings: own } = world;
  const backups = informers.cache({ resource: backupResource });
  const sources =
    own.output === "volsync" ? informers.cache({ resource: ReplicationSources, optional: true }) : undefined;
  return [
    truthController({ room, settings: own, repository, maps, namespaces, backups, sources, tally }),
    protectController({ room, world, tally }),
  ];
}
