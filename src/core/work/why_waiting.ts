import type { Pod } from "../../kube/builtin.ts";
import { boundedMessage } from "../../kube/write/message.ts";
import type { ObservedRun } from "./observed_run.ts";
import { refusalReason } from "./pod_refusal.ts";
import type { WaitingRun, WaitReason } from "./run_state.ts";

type Events = ObservedRun["events"];

/** Why a Job has no pod: nothing but its events tells. Undefined while nothing complains. */
export function whyNoPod(events: Events): WaitingRun | undefined {
  const event = newest(events, ["FailedCreate"]);
  if (!event) return undefined;
  const said = event.message.replace(/^Error creating: /, "");
  const known = refusalReason(said);
  return waiting({
    reason: known?.reason ?? "PodDenied",
    what: `The mover's pod is refused: ${said}`,
    remedy:
      known?.remedy ?? "The cluster refuses it for the reason given; it goes on once that is put right.",
    since: event.lastTimestamp,
  });
}

/** Why a pod's mover does not start. Undefined while nothing complains. */
export function whyNotStarted(pod: Pod, events: Events): WaitingRun | undefined {
  return unschedulable(pod) ?? notCreated(pod, events) ?? notMounted(pod, events);
}

function unschedulable({ status }: Pod): WaitingRun | undefined {
  const condition = status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (condition?.status !== "False" || condition.reason !== "Unschedulable") return undefined;
  const absent = /persistentvolumeclaim "([^"]+)" not found/i.exec(condition.message ?? "")?.[1];
  if (absent)
    return waiting({
      reason: "Unschedulable",
      what: `The mover waits for the PersistentVolumeClaim ${absent}, which is not there`,
      remedy:
        "Create it in the mover's namespace, or name another one. For a repository, bind it to the storage that holds the repository: a new volume is empty.",
      since: condition.lastTransitionTime,
    });
  return waiting({
    reason: "Unschedulable",
    what: `No node takes the mover's pod: ${condition.message ?? "no reason is given"}`,
    remedy: "Free or add what is missing, or change the mover's resources and placement.",
    since: condition.lastTransitionTime,
  });
}

const IMAGE = [
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImageInspectError",
];
const CREATION = ["CreateContainerConfigError", "CreateContainerError", "RunContainerError", "StartError"];

function notCreated({ status, spec }: Pod, events: Events): WaitingRun | undefined {
  const stated = status?.containerStatuses?.[0]?.state?.waiting;
  const { reason = "", message = reason } = stated ?? {};
  if (IMAGE.includes(reason)) {
    const absent = missingPullSecrets(events);
    return waiting({
      reason: "ImageUnavailable",
      what: `The mover's image ${spec?.containers[0]?.image ?? ""} cannot be had: ${message}`,
      remedy: absent
        ? `Pull secrets are missing in the mover's namespace: create ${absent} there.`
        : `Correct the image's name, or give the ServiceAccount ${spec?.serviceAccountName ?? "default"} the pull secret that its registry asks for.`,
    });
  }
  if (!CREATION.includes(reason)) return undefined;
  const missing = missingSecret(message);
  if (missing) return secretMissing(missing);
  return waiting({
    reason: "ContainerNotCreated",
    what: `The mover's container cannot be started: ${message}`,
    remedy: "Correct the mover's settings, or the image.",
  });
}

/** The kubelet names those that it did not find, and tries without. */
function missingPullSecrets(events: Events): string | undefined {
  const event = newest(events, ["FailedToRetrieveImagePullSecret"]);
  return event && /image pull secrets \(([^)]+)\)/.exec(event.message)?.[1];
}

function notMounted(pod: Pod, events: Events): WaitingRun | undefined {
  const event = newest(events, ["FailedMount", "FailedAttachVolume", "FailedMapVolume"]);
  if (!event) return undefined;
  const missing = missingSecret(event.message);
  if (missing) return secretMissing({ name: secretOf(pod, event.message), ...missing }, event.lastTimestamp);
  return waiting({
    reason: "MountFailed",
    what: `A volume of the mover cannot be mounted: ${event.message}`,
    remedy: "It is tried again until it works or the deadline passes.",
    failureClass: "transient",
    since: event.lastTimestamp,
  });
}

/** The Secret of the volume that a complaint is about. */
function secretOf({ spec }: Pod, said: string): string | undefined {
  const volume = /for volume "([^"]+)"/.exec(said)?.[1];
  return spec?.volumes?.find(({ name }) => name === volume)?.secret?.secretName;
}

interface MissingSecret {
  /** Absent where only the key is known. */
  readonly name?: string | undefined;
  readonly key?: string;
}

/** As the kubelet words it, for a volume and for a variable. */
function missingSecret(said: string): MissingSecret | undefined {
  const name = /secret "(?:[^"/]*\/)?([^"]+)" not found/i.exec(said)?.[1];
  if (name) return { name };
  const key = /references non-existent (?:secret|config|secret or config) key: ([^\s,;]+)/.exec(said)?.[1];
  return key ? { key } : undefined;
}

function secretMissing({ name, key }: MissingSecret, since?: string): WaitingRun {
  const what = key
    ? `The mover waits for the key ${key}, which ${name ? `the Secret ${name}` : "its Secret"} does not have`
    : `The mover waits for the Secret ${name}, which is not there`;
  const remedy = key
    ? "Add the key to the Secret, or name another key."
    : "Create it in the mover's namespace, or name another one.";
  return waiting({ reason: "SecretMissing", what, remedy, since });
}

function waiting(options: {
  readonly reason: WaitReason;
  readonly what: string;
  readonly remedy: string;
  readonly failureClass?: WaitingRun["class"];
  readonly since?: string | undefined;
}): WaitingRun {
  const { reason, what, remedy, failureClass = "structural", since } = options;
  return {
    phase: "Waiting",
    reason,
    message: boundedMessage(`${what.replace(/\.$/, "")}. ${remedy}`),
    class: failureClass,
    ...(since === undefined ? {} : { since }),
  };
}

function newest(events: Events, reasons: readonly string[]): Events[number] | undefined {
  return events
    .filter(({ reason }) => reasons.includes(reason))
    .toSorted((a, b) => (a.lastTimestamp ?? "").localeCompare(b.lastTimestamp ?? ""))
    .at(-1);
}
