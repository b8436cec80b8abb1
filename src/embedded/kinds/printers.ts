import type { Stored } from "../store/store.ts";
import { ageOf, humanDuration } from "./age.ts";
import { type Fields, fieldsOf, listOf, textOf } from "./fields.ts";
import { isTrue, summarizePod } from "./pod_status.ts";

/** What stands in a row of a table. */
export type Cell = string | number | boolean;

/** A column of a built-in kind. */
export interface Column {
  readonly name: string;
  /** Default string. */
  readonly type?: "string" | "integer" | "boolean" | "date";
  /** Only with `-o wide`. Default false. */
  readonly wide?: boolean;
  readonly cell: (object: Stored, now: number) => Cell;
}

function column(name: string, cell: Column["cell"], type?: Column["type"]): Column {
  return { name, cell, ...(type ? { type } : {}) };
}

function wide(name: string, cell: Column["cell"]): Column {
  return { name, cell, wide: true };
}

const name = column("Name", ({ metadata }) => metadata.name);
const age = column("Age", ({ metadata }, now) => ageOf(metadata.creationTimestamp, now));
const createdAt = column("Created At", ({ metadata }) => metadata.creationTimestamp, "date");

const spec = (object: Stored) => fieldsOf(object.spec);
const status = (object: Stored) => fieldsOf(object.status);
const or = (value: unknown, none: string) => textOf(value) || none;
const count = (value: unknown) => Object.keys(value ?? {}).length;

function containersOf(template: unknown): readonly Fields[] {
  return listOf(fieldsOf(fieldsOf(template).spec).containers);
}

const containers = [
  wide("Containers", (object) => joined(containersOf(spec(object).template), "name")),
  wide("Images", (object) => joined(containersOf(spec(object).template), "image")),
];

function joined(list: readonly Fields[], field: string): string {
  return list.map((item) => textOf(item[field])).join(",");
}

/** A selector as the command line writes it. */
function selectorText(selector: unknown, none: string): string {
  const { matchLabels, matchExpressions } = fieldsOf(selector);
  const labels = Object.entries(fieldsOf(matchLabels)).map(([key, value]) => `${key}=${value}`);
  const rules = listOf(matchExpressions).map(({ key, operator, values }) => {
    const list = Array.isArray(values) ? `(${[...values].sort().join(",")})` : "";
    const words: Record<string, string> = {
      In: `${key} in ${list}`,
      NotIn: `${key} notin ${list}`,
      Exists: `${key}`,
    };
    return words[textOf(operator)] ?? `!${key}`;
  });
  return [...labels, ...rules].sort().join(",") || none;
}

const SHORT_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function modes(given: unknown): string {
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  return Object.entries(SHORT_MODES)
    .filter(([mode]) => list.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

function phase(object: Stored): string {
  return object.metadata.deletionTimestamp ? "Terminating" : textOf(status(object).phase);
}

const JOB_STATES = ["Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"];

function jobState(job: Stored): string {
  const found = JOB_STATES.find((type) => isTrue(status(job).conditions, type));
  const over = found === "Complete" || found === "Failed";
  return job.metadata.deletionTimestamp && !over ? "Terminating" : (found ?? "Running");
}

function jobCompletions(job: Stored): string {
  const { completions, parallelism } = spec(job);
  const done = status(job).succeeded ?? 0;
  if (completions !== undefined) return `${done}/${completions}`;
  return Number(parallelism) > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function jobDuration(job: Stored, now: number): string {
  const { startTime, completionTime } = status(job);
  if (!startTime) return "";
  const end = completionTime ? Date.parse(textOf(completionTime)) : now;
  return humanDuration(end - Date.parse(textOf(startTime)));
}

function nodeState(node: Stored): string {
  const ready = listOf(status(node).conditions).find(({ type }) => type === "Ready");
  const state = ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown";
  return spec(node).unschedulable ? `${state},SchedulingDisabled` : state;
}

function nodeRoles({ metadata }: Stored): string {
  const prefix = "node-role.kubernetes.io/";
  const keys = Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith(prefix));
  return (
    keys
      .map((key) => key.slice(prefix.length))
      .sort()
      .join(",") || "<none>"
  );
}

function nodeAddress(kind: string): Column["cell"] {
  return (node) => or(listOf(status(node).addresses).find(({ type }) => type === kind)?.address, "<none>");
}

function nodeInfo(field: string): Column["cell"] {
  return (node) => or(fieldsOf(status(node).nodeInfo)[field], field === "kubeletVersion" ? "" : "<unknown>");
}

function firstSeen(event: Stored, now: number): string {
  return ageOf(event.firstTimestamp || event.eventTime, now);
}

function lastSeen(event: Stored, now: number): string {
  const series = fieldsOf(event.series);
  if (event.series) return ageOf(series.lastObservedTime, now);
  return event.lastTimestamp ? ageOf(event.lastTimestamp, now) : firstSeen(event, now);
}

function eventTarget(event: Stored): string {
  const { kind, name } = fieldsOf(event.involvedObject);
  return [textOf(kind).toLowerCase(), textOf(name)].filter(Boolean).join("/");
}

function eventSource(event: Stored): string {
  const { component, host } = fieldsOf(event.source);
  return [or(component, textOf(event.reportingComponent)), or(host, textOf(event.reportingInstance))]
    .filter(Boolean)
    .join(", ");
}

function subjects(kind: string): Column["cell"] {
  return (binding) =>
    listOf(binding.subjects)
      .filter((subject) => subject.kind === kind)
      .map((subject) => [subject.namespace, subject.name].filter(Boolean).join("/"))
      .join(", ");
}

const binding = [
  name,
  column("Role", ({ roleRef }) => `${fieldsOf(roleRef).kind}/${fieldsOf(roleRef).name}`),
  age,
  wide("Users", subjects("User")),
  wide("Groups", subjects("Group")),
  wide("ServiceAccounts", subjects("ServiceAccount")),
];

const webhooks = [name, column("Webhooks", (object) => listOf(object.webhooks).length, "integer"), age];

const volumeMode = wide("VolumeMode", (object) => or(spec(object).volumeMode, "<unset>"));
const attributesClass = column("VolumeAttributesClass", (object) =>
  or(spec(object).volumeAttributesClassName, "<unset>"),
);

function ports(service: Stored): string {
  const list = listOf(spec(service).ports).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return list.join(",") || "<none>";
}

function isDefaultClass({ metadata }: Stored): boolean {
  return metadata.annotations?.["storageclass.kubernetes.io/is-default-class"] === "true";
}

/** The columns of kinds without any of their own: their name and when they were created. */
export const plainColumns: readonly Column[] = [name, createdAt];

/** The columns of each built-in kind that has more. */
export const builtinColumns: Readonly<Record<string, readonly Column[]>> = {
  ClusterRoleBinding: binding,
  ConfigMap: [name, column("Data", ({ data, binaryData }) => count(data) + count(binaryData)), age],
  CSIDriver: [
    name,
    column("AttachRequired", (driver) => spec(driver).attachRequired !== false, "boolean"),
    column("PodInfoOnMount", (driver) => spec(driver).podInfoOnMount === true, "boolean"),
    column("StorageCapacity", (driver) => spec(driver).storageCapacity === true, "boolean"),
    column("TokenRequests", (driver) => joined(listOf(spec(driver).tokenRequests), "audience") || "<unset>"),
    column("RequiresRepublish", (driver) => spec(driver).requiresRepublish === true, "boolean"),
    column("Modes", (driver) => {
      const { volumeLifecycleModes: list } = spec(driver);
      return (Array.isArray(list) && list.join(",")) || "<none>";
    }),
    age,
  ],
  Deployment: [
    name,
    column("Ready", (object) => `${status(object).readyReplicas ?? 0}/${spec(object).replicas}`),
    column("Up-to-date", (object) => Number(status(object).updatedReplicas ?? 0)),
    column("Available", (object) => Number(status(object).availableReplicas ?? 0)),
    age,
    ...containers,
    wide("Selector", (object) => selectorText(spec(object).selector, "")),
  ],
  Event: [
    column("Last Seen", lastSeen),
    column("Type", ({ type }) => textOf(type)),
    column("Reason", ({ reason }) => textOf(reason)),
    column("Object", eventTarget),
    wide("Subobject", ({ involvedObject }) => textOf(fieldsOf(involvedObject).fieldPath)),
    wide("Source", eventSource),
    column("Message", ({ message }) => textOf(message).trim()),
    wide("First Seen", firstSeen),
    wide("Count", ({ series, count }) => Number(fieldsOf(series).count ?? count ?? 1)),
    wide("Name", ({ metadata }) => metadata.name),
  ],
  Job: [
    name,
    column("Status", jobState),
    column("Completions", jobCompletions),
    column("Duration", jobDuration),
    age,
    ...containers,
    wide("Selector", (job) => selectorText(spec(job).selector, "<none>")),
  ],
  Lease: [name, column("Holder", (lease) => textOf(spec(lease).holderIdentity)), age],
  MutatingWebhookConfiguration: webhooks,
  Namespace: [name, column("Status", (namespace) => textOf(status(namespace).phase)), age],
  Node: [
    name,
    column("Status", nodeState),
    column("Roles", nodeRoles),
    age,
    column("Version", nodeInfo("kubeletVersion")),
    wide("Internal-IP", nodeAddress("InternalIP")),
    wide("External-IP", nodeAddress("ExternalIP")),
    wide("OS-Image", nodeInfo("osImage")),
    wide("Kernel-Version", nodeInfo("kernelVersion")),
    wide("Container-Runtime", nodeInfo("containerRuntimeVersion")),
  ],
  PersistentVolume: [
    name,
    column("Capacity", (volume) => or(fieldsOf(spec(volume).capacity).storage, "0")),
    column("Access Modes", (volume) => modes(spec(volume).accessModes)),
    column("Reclaim Policy", (volume) => textOf(spec(volume).persistentVolumeReclaimPolicy)),
    column("Status", phase),
    column("Claim", (volume) => {
      const { claimRef } = spec(volume);
      return claimRef ? `${textOf(fieldsOf(claimRef).namespace)}/${textOf(fieldsOf(claimRef).name)}` : "";
    }),
    column("StorageClass", (volume) => textOf(spec(volume).storageClassName)),
    attributesClass,
    column("Reason", (volume) => textOf(status(volume).reason)),
    age,
    volumeMode,
  ],
  PersistentVolumeClaim: [
    name,
    column("Status", phase),
    column("Volume", (claim) => textOf(spec(claim).volumeName)),
    column("Capacity", (claim) =>
      spec(claim).volumeName ? or(fieldsOf(status(claim).capacity).storage, "0") : "",
    ),
    column("Access Modes", (claim) => (spec(claim).volumeName ? modes(status(claim).accessModes) : "")),
    column("StorageClass", (claim) => textOf(spec(claim).storageClassName)),
    attributesClass,
    age,
    volumeMode,
  ],
  Pod: [
    name,
    column("Ready", (pod, now) => summarizePod(pod, now).ready),
    column("Status", (pod, now) => summarizePod(pod, now).reason),
    column("Restarts", (pod, now) => summarizePod(pod, now).restarts),
    age,
    wide("IP", (pod) => or(listOf(status(pod).podIPs)[0]?.ip, "<none>")),
    wide("Node", (pod) => or(spec(pod).nodeName, "<none>")),
    wide("Nominated Node", (pod) => or(status(pod).nominatedNodeName, "<none>")),
    wide("Readiness Gates", (pod) => {
      const gates = listOf(spec(pod).readinessGates);
      const open = gates.filter(({ conditionType }) => isTrue(status(pod).conditions, textOf(conditionType)));
      return gates.length === 0 ? "<none>" : `${open.length}/${gates.length}`;
    }),
  ],
  RoleBinding: binding,
  Secret: [name, column("Type", ({ type }) => textOf(type)), column("Data", ({ data }) => count(data)), age],
  Service: [
    name,
    column("Type", (service) => textOf(spec(service).type)),
    column("Cluster-IP", (service) => or(spec(service).clusterIP, "<none>")),
    column("External-IP", (service) => or(spec(service).externalName, "<none>")),
    column("Port(s)", ports),
    age,
    wide("Selector", (service) => selectorText({ matchLabels: spec(service).selector }, "<none>")),
  ],
  ServiceAccount: [name, column("Secrets", ({ secrets }) => listOf(secrets).length), age],
  StatefulSet: [
    name,
    column("Ready", (object) => `${status(object).readyReplicas ?? 0}/${spec(object).replicas}`),
    age,
    ...containers,
  ],
  StorageClass: [
    column("Name", (object) => `${object.metadata.name}${isDefaultClass(object) ? " (default)" : ""}`),
    column("Provisioner", ({ provisioner }) => textOf(provisioner)),
    column("ReclaimPolicy", ({ reclaimPolicy }) => textOf(reclaimPolicy)),
    column("VolumeBindingMode", ({ volumeBindingMode }) => textOf(volumeBindingMode)),
    column("AllowVolumeExpansion", ({ allowVolumeExpansion }) => allowVolumeExpansion === true),
    age,
  ],
  ValidatingWebhookConfiguration: webhooks,
};
