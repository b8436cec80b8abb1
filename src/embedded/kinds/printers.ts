import type { Stored } from "../store/store.ts";
import { ageOf, humanDuration } from "./age.ts";
import { type Fields, fieldsOf, listOf, textOf } from "./fields.ts";
import { jsonPath } from "./json_path.ts";
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

/** A column of what a path leads to, or `none` when that is nothing. */
function at(name: string, path: string, none: Cell = ""): Column {
  const find = jsonPath(path);
  const cell = (object: Stored) => {
    const found = find(object).filter((value) => value !== undefined && value !== "") as Cell[];
    return found.length > 1 ? found.join(",") : (found[0] ?? none);
  };
  return { name, cell, ...(typeof none === "boolean" && { type: "boolean" }) };
}

function column(name: string, cell: Column["cell"], type?: Column["type"]): Column {
  return { name, cell, ...(type ? { type } : {}) };
}

/** Only with `-o wide`. */
function wide(column: Column): Column {
  return { ...column, wide: true };
}

const name = at("Name", ".metadata.name");
const age = column("Age", ({ metadata }, now) => ageOf(metadata.creationTimestamp, now));

const spec = (object: Stored) => fieldsOf(object.spec);
const status = (object: Stored) => fieldsOf(object.status);
const count = (value: unknown) => Object.keys(value ?? {}).length;

/** With the architecture, where the node says it. */
function kernelOf(node: Stored): string {
  const { kernelVersion, architecture } = fieldsOf(status(node).nodeInfo);
  const version = textOf(kernelVersion) || "<unknown>";
  return architecture ? `${version} (${textOf(architecture)})` : version;
}

function servedVersions(crd: Stored): string {
  const served = listOf(spec(crd).versions).filter(({ served }) => served === true);
  return served
    .map(({ name, storage }) => `${textOf(name)}${storage === true ? "(storage)" : ""}`)
    .sort()
    .join(",");
}

const containers = [
  wide(at("Containers", ".spec.template.spec.containers[*].name")),
  wide(at("Images", ".spec.template.spec.containers[*].image")),
];

/** The labels of a selector as the command line writes them. */
function selector(none: string): Column {
  return wide(
    column("Selector", (object) => {
      const labels = Object.entries(fieldsOf(fieldsOf(spec(object).selector).matchLabels));
      const texts = labels.map(([key, value]) => `${key}=${value}`);
      return texts.sort().join(",") || none;
    }),
  );
}

const SHORT_MODES = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function modes(given: unknown): string {
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  const known = Object.entries(SHORT_MODES).filter(([mode]) => list.includes(mode));
  return known.map(([, short]) => short).join(",");
}

const phase = column("Status", (object) =>
  object.metadata.deletionTimestamp ? "Terminating" : textOf(status(object).phase),
);

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
  const roles = keys.map((key) => key.slice(prefix.length));
  return roles.sort().join(",") || "<none>";
}

function firstSeen(event: Stored, now: number): string {
  return ageOf(event.firstTimestamp || event.eventTime, now);
}

function lastSeen(event: Stored, now: number): string {
  if (event.series) return ageOf(fieldsOf(event.series).lastObservedTime, now);
  return event.lastTimestamp ? ageOf(event.lastTimestamp, now) : firstSeen(event, now);
}

function eventTarget(event: Stored): string {
  const { kind, name } = fieldsOf(event.involvedObject);
  return [textOf(kind).toLowerCase(), textOf(name)].filter(Boolean).join("/");
}

function eventSource(event: Stored): string {
  const { component, host } = fieldsOf(event.source);
  const parts = [component || event.reportingComponent, host || event.reportingInstance];
  return parts.map(textOf).filter(Boolean).join(", ");
}

function subjects(heading: string, kind: string): Column {
  const nameOf = ({ namespace, name }: Fields) => [namespace, name].filter(Boolean).join("/");
  return wide(
    column(heading, (binding) => {
      const listed = listOf(binding.subjects).filter((subject) => subject.kind === kind);
      return listed.map(nameOf).join(", ");
    }),
  );
}

const binding = [
  name,
  column("Role", ({ roleRef }) => `${fieldsOf(roleRef).kind}/${fieldsOf(roleRef).name}`),
  age,
  subjects("Users", "User"),
  subjects("Groups", "Group"),
  subjects("ServiceAccounts", "ServiceAccount"),
];

const webhooks = [name, column("Webhooks", (object) => listOf(object.webhooks).length, "integer"), age];
const volumeMode = wide(at("VolumeMode", ".spec.volumeMode", "<unset>"));
const attributesClass = at("VolumeAttributesClass", ".spec.volumeAttributesClassName", "<unset>");
const ready = column("Ready", (object) => `${status(object).readyReplicas ?? 0}/${spec(object).replicas}`);

function isDefaultClass({ metadata }: Stored): boolean {
  return metadata.annotations?.["storageclass.kubernetes.io/is-default-class"] === "true";
}

/** The columns of kinds without any of their own: their name and when they were created. */
export const plainColumns: readonly Column[] = [
  name,
  column("Created At", ({ metadata }) => metadata.creationTimestamp, "date"),
];

/** The columns of each built-in kind that has more. */
export const builtinColumns: Readonly<Record<string, readonly Column[]>> = {
  ClusterRoleBinding: binding,
  ConfigMap: [name, column("Data", ({ data, binaryData }) => count(data) + count(binaryData)), age],
  CustomResourceDefinition: [
    name,
    at("Scope", ".spec.scope"),
    column("Versions", servedVersions),
    column("Created At", ({ metadata }) => metadata.creationTimestamp, "date"),
    wide(at("Group", ".spec.group")),
    wide(at("Kind", ".spec.names.kind")),
    wide(at("ShortNames", ".spec.names.shortNames[*]")),
    wide(column("Established", (crd) => isTrue(status(crd).conditions, "Established"), "boolean")),
  ],
  CSIDriver: [
    name,
    at("AttachRequired", ".spec.attachRequired", true),
    at("PodInfoOnMount", ".spec.podInfoOnMount", false),
    at("StorageCapacity", ".spec.storageCapacity", false),
    at("TokenRequests", ".spec.tokenRequests[*].audience", "<unset>"),
    at("RequiresRepublish", ".spec.requiresRepublish", false),
    at("Modes", ".spec.volumeLifecycleModes[*]", "<none>"),
    age,
  ],
  Deployment: [
    name,
    ready,
    at("Up-to-date", ".status.updatedReplicas", 0),
    at("Available", ".status.availableReplicas", 0),
    age,
    ...containers,
    selector(""),
  ],
  Event: [
    column("Last Seen", lastSeen),
    at("Type", ".type"),
    at("Reason", ".reason"),
    column("Object", eventTarget),
    wide(at("Subobject", ".involvedObject.fieldPath")),
    wide(column("Source", eventSource)),
    column("Message", ({ message }) => textOf(message).trim()),
    wide(column("First Seen", firstSeen)),
    wide(column("Count", ({ series, count }) => Number(fieldsOf(series).count ?? count ?? 1))),
    wide(name),
  ],
  Job: [
    name,
    column("Status", jobState),
    column("Completions", jobCompletions),
    column("Duration", jobDuration),
    age,
    ...containers,
    selector("<none>"),
  ],
  Lease: [name, at("Holder", ".spec.holderIdentity"), age],
  MutatingWebhookConfiguration: webhooks,
  Namespace: [name, at("Status", ".status.phase"), age],
  Node: [
    name,
    column("Status", nodeState),
    column("Roles", nodeRoles),
    age,
    at("Version", ".status.nodeInfo.kubeletVersion"),
    wide(at("Internal-IP", '.status.addresses[?(@.type=="InternalIP")].address', "<none>")),
    wide(at("External-IP", '.status.addresses[?(@.type=="ExternalIP")].address', "<none>")),
    wide(at("OS-Image", ".status.nodeInfo.osImage", "<unknown>")),
    wide(column("Kernel-Version", kernelOf)),
    wide(at("Container-Runtime", ".status.nodeInfo.containerRuntimeVersion", "<unknown>")),
  ],
  PersistentVolume: [
    name,
    at("Capacity", ".spec.capacity.storage", "0"),
    column("Access Modes", (volume) => modes(spec(volume).accessModes)),
    at("Reclaim Policy", ".spec.persistentVolumeReclaimPolicy"),
    phase,
    column("Claim", (volume) => {
      const { namespace, name } = fieldsOf(spec(volume).claimRef);
      return name ? `${textOf(namespace)}/${name}` : "";
    }),
    at("StorageClass", ".spec.storageClassName"),
    attributesClass,
    at("Reason", ".status.reason"),
    age,
    volumeMode,
  ],
  PersistentVolumeClaim: [
    name,
    phase,
    at("Volume", ".spec.volumeName"),
    column("Capacity", (claim) =>
      spec(claim).volumeName ? textOf(fieldsOf(status(claim).capacity).storage) || "0" : "",
    ),
    column("Access Modes", (claim) => (spec(claim).volumeName ? modes(status(claim).accessModes) : "")),
    at("StorageClass", ".spec.storageClassName"),
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
    wide(at("IP", ".status.podIPs[0].ip", "<none>")),
    wide(at("Node", ".spec.nodeName", "<none>")),
    wide(at("Nominated Node", ".status.nominatedNodeName", "<none>")),
    wide(column("Readiness Gates", () => "<none>")),
  ],
  RoleBinding: binding,
  Secret: [name, at("Type", ".type"), column("Data", ({ data }) => count(data)), age],
  ServiceAccount: [name, age],
  StatefulSet: [name, ready, age, ...containers],
  StorageClass: [
    column("Name", (object) => `${object.metadata.name}${isDefaultClass(object) ? " (default)" : ""}`),
    at("Provisioner", ".provisioner"),
    at("ReclaimPolicy", ".reclaimPolicy"),
    at("VolumeBindingMode", ".volumeBindingMode"),
    column("AllowVolumeExpansion", ({ allowVolumeExpansion }) => allowVolumeExpansion === true),
    age,
  ],
  ValidatingWebhookConfiguration: webhooks,
};
