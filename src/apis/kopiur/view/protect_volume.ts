import {
  chosenOption,
  freeName,
  type ProtectFacts,
  type ProtectOption,
  type ProtectPlan,
} from "../../../core/view/protect.ts";
import { KIND_WORDS } from "../../../kinds/kopiur/words.ts";
import { keyOf } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { claimsOf, namedClaims } from "./seen.ts";

/** Spread over the hour, so that not all volumes begin at once. */
const CRONS: Readonly<Record<string, string>> = {
  hourly: "H * * * *",
  daily: "H H(1-5) * * *",
  weekly: "H H(1-5) * * 0",
};

const KEEPS: Readonly<Record<string, object | undefined>> = {
  "2 weeks": { keepLatest: 3, keepDaily: 14 },
  "3 months": { keepLatest: 3, keepDaily: 14, keepWeekly: 13 },
  "2 years": { keepLatest: 3, keepDaily: 14, keepWeekly: 13, keepMonthly: 24 },
  everything: undefined,
};

/** A BackupConfig and a BackupSchedule for one volume, or the schedule that its BackupConfig lacks; undefined where it has both. */
export function protectVolume({ of, claim, chosen }: ProtectFacts): ProtectPlan | undefined {
  const { namespace = "", name } = claim.metadata;
  const key = keyOf({ namespace, name });
  const configs = of(KIND_WORDS.config).filter(({ metadata }) => metadata.namespace === namespace);
  const schedules = of(KIND_WORDS.schedule).filter(({ metadata }) => metadata.namespace === namespace);
  const naming = configs.filter((one) => [...claimsOf(one), ...namedClaims(one)].includes(key));
  const scheduled = (config: string) => schedules.some(({ spec }) => spec.configRef.name === config);
  if (naming.some(({ metadata }) => scheduled(metadata.name))) return undefined;
  const often = chosenOption(
    { name: "often", title: "How often", values: Object.keys(CRONS), value: "daily" },
    chosen,
  );
  const scheduleOf = (config: string) =>
    write(KIND_WORDS.schedule, namespace, freeName(config, schedules), {
      configRef: { name: config },
      schedule: { cron: CRONS[often.value] },
    });
  const [present] = naming;
  if (present) {
    const config = present.metadata.name;
    return {
      title: "Give it a schedule",
      says: [
        `BackupConfig ${config} names it, and nothing runs that.`,
        `A BackupSchedule runs it ${often.value}.`,
      ],
      options: [often],
      writes: [scheduleOf(config)],
    };
  }
  const stores = [
    ...of(KIND_WORDS.repository).filter(({ metadata }) => metadata.namespace === namespace),
    ...of(KIND_WORDS.clusterrepository),
  ];
  const ready = stores
    .filter(({ status }) => status?.phase === "Ready")
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  const [first] = ready;
  const repository: ProtectOption = chosenOption(
    { name: "repository", title: "Stored in", values: ready, value: first ?? "" },
    chosen,
  );
  const capture = chosenOption(
    { name: "capture", title: "What is read", values: ["Snapshot", "Clone", "Direct"], value: "Snapshot" },
    chosen,
  );
  const keep = chosenOption(
    { name: "keep", title: "Kept for", values: Object.keys(KEEPS), value: "3 months" },
    chosen,
  );
  const [kind, store] = repository.value.split("/");
  const config = freeName(name, configs);
  const retention = KEEPS[keep.value];
  return {
    title: "Back it up",
    says: [
      "A BackupConfig says what is stored where, and a BackupSchedule when.",
      `It is backed up ${often.value}${store ? ` into ${kind} ${store}` : ""}, and ${retention ? `kept for ${keep.value}` : "everything is kept"}.`,
    ],
    ...(first === undefined ? { missing: whyNone(stores.length, namespace) } : {}),
    options: [repository, often, keep, capture],
    writes: [
      write(KIND_WORDS.config, namespace, config, {
        repository: { kind, name: store },
        sources: [{ pvc: { name } }],
        copyMethod: capture.value,
        ...(retention ? { retention } : {}),
      }),
      scheduleOf(config),
    ],
  };
}

function whyNone(stores: number, namespace: string): string {
  return stores > 0
    ? `no repository that namespace ${namespace} could use is ready: look at why under Repositories`
    : `there is no Repository in namespace ${namespace}, and no ClusterRepository: create one first`;
}

function write(resource: Resource, namespace: string, name: string, spec: object) {
  return { resource, object: { metadata: { namespace, name }, spec } };
}
