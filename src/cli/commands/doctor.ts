import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { ApiError, isForbidden } from "../../kube/api_error.ts";
import {
  ConfigMaps,
  CustomResourceDefinitions,
  Leases,
  PersistentVolumeClaims,
  SelfSubjectAccessReviews,
  StorageClasses,
} from "../../kube/builtin.ts";
import { resourceName } from "../../kube/resource.ts";
import { VolumeSnapshotClasses } from "../../kube/snapshot_kinds.ts";
import { sleep } from "../../lib/clock.ts";
import { apiKinds } from "../doctor/api_kinds.ts";
import { broken, type Finding, warning } from "../doctor/finding.ts";
import { type Crd, judgeCrds } from "../doctor/judge_crds.ts";
import { judgeClocks, judgeLeases, judgeRights, type SeenLease } from "../doctor/judge_install.ts";
import { judgeObjects, judgeStorage } from "../doctor/judge_objects.ts";
import { judgeOperators } from "../doctor/judge_operator.ts";
import { judgeVersion } from "../doctor/judge_version.ts";
import { judgeWebhooks } from "../doctor/judge_webhooks.ts";
import { areAdopted, lookAtAdoptions } from "../doctor/look_at_adoptions.ts";
import { lookAtOperators } from "../doctor/look_at_operator.ts";
import { lookAtWebhooks } from "../doctor/look_at_webhooks.ts";
import { rightsFor } from "../doctor/rights.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { printedValue } from "../frame/printed.ts";
import { listed, namespaceOf } from "../frame/scope.ts";
import { viewed } from "../frame/viewed.ts";

const LEASE = "holdfast-operator";
/** A leader renews its lease more often than this. */
const LEASE_PATIENCE = 15_000;

/** Looks at everything around the objects that could be in the way, and says what helps. */
export async function doctor(call: Call): Promise<ExitCode> {
  const { out, paint } = call;
  const findings = await findingsOf(call);
  const failed = findings.some(({ level }) => level === "error");
  if (!(await printedValue(call, findings))) for (const line of findingLines(findings, paint)) out(line);
  return failed ? EXIT.failed : EXIT.done;
}

/** What is well, and what is not. */
export async function findingsOf(call: Call): Promise<readonly Finding[]> {
  const cluster = await call.cluster();
  const checks: readonly (readonly [what: string, look: () => Promise<readonly Finding[]>])[] = [
    ["permissions", () => rights(call, cluster)],
    ["version of Kubernetes", async () => [judgeVersion(await cluster.version(call.signal))]],
    ["CRDs", () => crds(call, cluster)],
    ["adopted CRDs", () => lookAtAdoptions(call, cluster)],
    ["webhooks", async () => judgeWebhooks(await lookAtWebhooks(call, cluster), call.clock.now())],
    ["operator's rights", async () => judgeOperators(await lookAtOperators(call, cluster))],
    ["leases", () => leases(call, cluster)],
    ["clocks", async () => [judgeClocks(await skew(call, cluster))]],
    ["storage", () => storage(call, cluster)],
    ["objects", () => objects(call)],
  ];
  const findings: Finding[] = [];
  for (const [what, look] of checks) {
    call.progress.show(`  looking at ${what} …`);
    findings.push(...(await look().catch((error: unknown) => [unseen(what, error)])));
  }
  call.progress.clear();
  return findings;
}

/** What is well in a line each, what is not with why and fix. */
export function findingLines(findings: readonly Finding[], paint: Call["paint"]): readonly string[] {
  const tones = { ok: "good", warning: "warn", error: "bad" } as const;
  return findings.flatMap((finding) => {
    const head = `${paint(tones[finding.level], finding.level.padEnd(7))}  ${finding.what}`;
    return finding.level === "ok"
      ? [head]
      : [head, `           why: ${finding.why}`, `           fix: ${finding.fix}`];
  });
}

/** An object that is not there; or a whole kind, of which the server says so in other words. */
function isAbsent(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404;
}

/** What could not be looked at is not known to be well; and it keeps nobody from looking at the rest. */
function unseen(what: string, error: unknown): Finding {
  if (!(error instanceof ApiError)) throw error;
  return warning(
    `the ${what} could not be looked at`,
    error.message,
    isForbidden(error)
      ? "Ask somebody who may, or for the right to list them."
      : "Run doctor again; where it stays so, the API server's own log tells more.",
  );
}

async function rights(call: Call, cluster: Cluster): Promise<readonly Finding[]> {
  const namespace = namespaceOf(call, cluster);
  const kinds = (await call.views()).flatMap((view) => view.kinds.map(({ resource }) => resource));
  const asked = rightsFor(kinds).map(async (right) => {
    const { verb, group, resource, subresource, clusterWide } = right;
    const spec = {
      resourceAttributes: {
        // With a namespace, a Role there would seem to grant it.
        ...(clusterWide ? {} : { namespace }),
        verb,
        group,
        resource,
        ...(subresource ? { subresource } : {}),
      },
    };
    const review = await cluster.client.create(
      SelfSubjectAccessReviews,
      { metadata: { name: "" }, spec },
      call,
    );
    return { ...right, allowed: review.status?.allowed === true };
  });
  return judgeRights(await Promise.all(asked));
}

async function crds(call: Call, cluster: Cluster): Promise<readonly Finding[]> {
  const { signal } = call;
  const apis = await apiKinds();
  const present = await Promise.all(
    apis.flatMap(({ kinds }) =>
      kinds.map(async ({ resource }): Promise<readonly Crd[]> => {
        const name = resourceName(resource);
        try {
          return [
            (await cluster.client.get(CustomResourceDefinitions, { name }, { signal })) as unknown as Crd,
          ];
        } catch (error) {
          if (isAbsent(error)) return [];
          throw error;
        }
      }),
    ),
  );
  const adopted = await areAdopted(call, cluster);
  return judgeCrds(
    apis,
    new Map(present.flat().map((crd) => [crd.metadata.name, crd])),
    adopted ? { adopted } : {},
  );
}

async function leases({ signal, clock }: Call, cluster: Cluster): Promise<readonly Finding[]> {
  const { client } = cluster;
  const look = async () =>
    (await client.list(Leases, { signal, fieldSelector: `metadata.name=${LEASE}` })).items;
  const before = await look();
  const begun = clock.monotonic();
  let renewed = new Set<string>();
  while (renewed.size < before.length && clock.monotonic() - begun < LEASE_PATIENCE) {
    await sleep(clock, 500, signal);
    const now = await look();
    renewed = new Set(
      now
        .filter((lease) =>
          before.some(
            ({ metadata }) =>
              metadata.uid === lease.metadata.uid &&
              metadata.resourceVersion !== lease.metadata.resourceVersion,
          ),
        )
        .map(({ metadata }) => metadata.uid),
    );
  }
  const watchedMs = clock.monotonic() - begun;
  return judgeLeases(
    before.map(
      ({ metadata, spec }): SeenLease => ({
        name: `${metadata.namespace}/${metadata.name}`,
        holder: spec?.holderIdentity ?? "",
        renewed: renewed.has(metadata.uid),
        watchedMs,
      }),
    ),
    await cluster.version(signal),
  );
}

/** By how much this machine is ahead: an object that is only tried out has the server's time on it. */
async function skew(call: Call, cluster: Cluster): Promise<number> {
  const { clock, signal, random } = call;
  const metadata = { namespace: namespaceOf(call, cluster), name: `holdfast-clock-${random.hex(4)}` };
  const before = clock.now();
  const tried = await cluster.client.create(ConfigMaps, { metadata }, { dryRun: true, signal });
  const middle = (before + clock.now()) / 2;
  return middle - Date.parse(tried.metadata.creationTimestamp);
}

async function storage(call: Call, { client }: Cluster): Promise<readonly Finding[]> {
  const { signal } = call;
  const classes = (await client.list(StorageClasses, { signal })).items;
  if (classes.length === 0)
    return [
      broken(
        "there is no storage class",
        "No volume can be made.",
        "Install a CSI driver and a class of it.",
      ),
    ];
  const snapshotClasses = (await client.serves(VolumeSnapshotClasses, { signal }))
    ? (await client.list(VolumeSnapshotClasses, { signal })).items
    : undefined;
  const configs = await listed(call, backupConfigResource).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });
  const claims = await listed(call, PersistentVolumeClaims).catch((error: unknown) => {
    if (isForbidden(error)) return [];
    throw error;
  });
  return judgeStorage({ classes, snapshotClasses, configs, claims });
}

async function objects(call: Call): Promise<readonly Finding[]> {
  const kinds = (await call.views()).flatMap((view) => view.kinds);
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const found = await listed(call, kind.resource).catch((error: unknown) => {
        if (isAbsent(error) || (isForbidden(error) && !kind.resource.namespaced)) return [];
        throw error;
      });
      return found.map((object) => ({ object, kind }));
    }),
  );
  const { problems, lost } = await viewed(call);
  return judgeObjects({ objects: lists.flat(), problems, lost, now: call.clock.now() });
}
