import { dirname, join } from "node:path";
import type { Container } from "kubernetes-types/core/v1.d.ts";
import type { Pod } from "../../../kube/builtin.ts";
import type { Processes } from "../../../lib/processes.ts";
import { messageOf } from "../../../lib/result.ts";
import type { NodePorts } from "../node_ports.ts";
import { TERMINATION } from "./attempt_files.ts";
import type { Containers } from "./containers.ts";
import { type Image, invocation } from "./environment.ts";
import { KeyedDataReader, Unavailable } from "./keyed_data.ts";
import type { Mount } from "./launch_script.ts";
import type { Waiting } from "./pod_status.ts";
import { type ClaimFolder, PodVolumes } from "./pod_volumes.ts";
import { runAs } from "./security.ts";

export interface ContainerStarterOptions extends Pick<NodePorts, "client" | "events"> {
  readonly containers: Containers;
  readonly processes: Processes;
  /** What stands for an image here; undefined for one that cannot run. */
  readonly images: (name: string) => Image | undefined;
  /** Throws Unavailable for a claim that cannot be mounted. */
  readonly claimFolder: (namespace: string, name: string, signal: AbortSignal) => Promise<ClaimFolder>;
  /** Let pods mount folders of the host. Default false. */
  readonly allowHostPath?: boolean;
}

/** Thrown where a container has to wait; the reason is shown in the pod's status. */
class HeldUp extends Error {
  readonly waiting: Waiting;
  readonly event: string;

  constructor(waiting: Waiting, event: string, message = waiting.message ?? waiting.reason) {
    super(message);
    this.waiting = waiting;
    this.event = event;
  }
}

/** Starts containers: finds what they run, mounts what they name, and says what they wait for. */
export class ContainerStarter {
  readonly #options: ContainerStarterOptions;

  constructor(options: ContainerStarterOptions) {
    this.#options = options;
  }

  /** Starts what can be started; the rest has to wait, each with its reason. */
  async start(
    pod: Pod,
    names: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Waiting>> {
    const waiting = new Map<string, Waiting>();
    if (names.length === 0) return waiting;
    const { initContainers = [], containers = [] } = pod.spec ?? {};
    const wanted = [...initContainers, ...containers].filter(({ name }) => names.includes(name));
    const data = new KeyedDataReader(this.#options.client, pod.metadata.namespace ?? "", signal);
    const volumes = this.#volumesOf(pod, data, signal);
    let prepared: Promise<void> | undefined;
    for (const container of wanted) {
      try {
        const image = this.#imageOf(container);
        prepared ??= this.#prepare(pod, volumes);
        await prepared;
        await this.#start(pod, container, image, volumes, data);
        this.#options.events.event(pod, {
          type: "Normal",
          reason: "Started",
          message: `Started container ${container.name}`,
        });
      } catch (error) {
        const heldUp = error instanceof HeldUp ? error : cannotCreate(error);
        waiting.set(container.name, heldUp.waiting);
        const message = heldUp.event === "Failed" ? `Error: ${heldUp.message}` : heldUp.message;
        this.#options.events.event(pod, { type: "Warning", reason: heldUp.event, message });
      }
    }
    return waiting;
  }

  #volumesOf(pod: Pod, data: KeyedDataReader, signal: AbortSignal): PodVolumes {
    const { containers, claimFolder, allowHostPath = false } = this.#options;
    return new PodVolumes({
      folder: join(containers.podFolder(pod.metadata.uid), "volumes"),
      data,
      claim: (name) => claimFolder(pod.metadata.namespace ?? "", name, signal),
      allowHostPath,
    });
  }

  #imageOf({ image = "" }: Container): Image {
    const found = this.#options.images(image);
    if (found) return found;
    const message = `Container image "${image}" cannot run on this machine: it stands for no program here`;
    throw new HeldUp({ reason: "ErrImageNeverPull", message }, "ErrImageNeverPull");
  }

  async #prepare(pod: Pod, volumes: PodVolumes): Promise<void> {
    const { containers, processes } = this.#options;
    try {
      await volumes.prepare(pod);
    } catch (cause) {
      if (!(cause instanceof Unavailable)) throw cause;
      throw new HeldUp({ reason: "ContainerCreating" }, "FailedMount", cause.message);
    }
    const group = pod.spec?.securityContext?.fsGroup;
    if (group === undefined || containers.isolation !== "root") return;
    for (const folder of volumes.owned) {
      const { code, stderr } = await processes.run("sh", ["-c", GIVE_TO_GROUP, "sh", String(group), folder]);
      if (code !== 0)
        throw new Error(`the volumes could not be given to the group ${group}: ${stderr.trim()}`);
    }
  }

  async #start(
    pod: Pod,
    container: Container,
    image: Image,
    volumes: PodVolumes,
    data: KeyedDataReader,
  ): Promise<void> {
    const { containers } = this.#options;
    const { uid } = pod.metadata;
    const { name, workingDir = "/", terminationMessagePath = "/dev/termination-log" } = container;
    const attempt = { pod: uid, container: name, attempt: containers.states(uid).get(name)?.length ?? 0 };
    try {
      const mounts: Mount[] = [...volumes.mountsOf(container)].sort((a, b) => (a.target < b.target ? -1 : 1));
      const identity = runAs(pod, container, image);
      const { argv, env } = await invocation(pod, container, image, data);
      const words = join(containers.attemptFolder(attempt), TERMINATION);
      const files = Object.entries(image.files ?? {});
      const all: Mount[] = [
        ...files.map(([target, source]): Mount => ({ source, target, readOnly: true, type: "file" })),
        ...mounts,
        { source: words, target: terminationMessagePath, readOnly: false, type: "file" },
      ];
      const translated = containers.isolation === "none";
      if (translated && !image.translatesPaths) throw new HeldUp(NO_MOUNTS, "Failed");
      const map = Object.fromEntries(all.map(({ source, target }) => [target, source]));
      const path = [...(translated ? files.map(([, source]) => dirname(source)) : []), env.PATH].join(":");
      await containers.start(attempt, {
        argv: translated ? argv.map((word) => map[word] ?? word) : argv,
        path,
        env: {
          HOME: identity.user ? "/" : "/root",
          ...env,
          PATH: path,
          ...(translated ? { HOLDFAST_PATH_MAP: JSON.stringify(map) } : {}),
        },
        workingDir,
        hostname: hostnameOf(pod),
        logAsLastWords: container.terminationMessagePolicy === "FallbackToLogsOnError",
        mounts: all,
        runAs: identity,
        readOnlyRoot: container.securityContext?.readOnlyRootFilesystem === true,
      });
    } catch (cause) {
      if (!(cause instanceof Unavailable)) throw cause;
      throw new HeldUp({ reason: "CreateContainerConfigError", message: cause.message }, "Failed");
    }
  }
}

/** Gives a folder to a group, unless its top shows that this was done before. */
const GIVE_TO_GROUP = `
[ "$(stat -c %g "$2")" = "$1" ] && [ -g "$2" ] && exit 0
chgrp -hR "$1" "$2" && chmod -R g+rwX "$2" && find "$2" -type d -exec chmod g+s {} +
`;

const NO_MOUNTS: Waiting = {
  reason: "CreateContainerError",
  message:
    "this machine offers no mount namespace, as root or in a user namespace, and the image's programs need real mount paths",
};

/** As a kubelet names it: what is too long for a machine is cut. */
function hostnameOf({ metadata, spec }: Pod): string {
  return (spec?.hostname || metadata.name).slice(0, LONGEST_HOSTNAME).replace(/[-.]+$/, "");
}

const LONGEST_HOSTNAME = 63;

function cannotCreate(cause: unknown): HeldUp {
  return new HeldUp({ reason: "CreateContainerError", message: messageOf(cause) }, "Failed");
}
