import { readFileSync } from "node:fs";
import { ApiError } from "../../../kube/api_error.ts";
import { type Pod, Pods } from "../../../kube/builtin.ts";
import type { Reader } from "../../../kube/client.ts";
import type { ObjectName } from "../../../kube/object.ts";
import { type Clock, sleep } from "../../../lib/clock.ts";
import type { StreamedProcesses } from "../../../lib/streamed_process.ts";
import type { PodExec, PodExecRequest, StartCommand } from "../../api/pod_exec.ts";
import type { Containers, Inside } from "./containers.ts";
import { type Isolation, identityOptions, TOOLS_PATH } from "./launch_script.ts";

export interface NodeExecOptions {
  readonly reader: Pick<Reader, "get">;
  readonly containers: Containers;
  readonly processes: StreamedProcesses;
  readonly clock: Clock;
}

/** Until a container that is being started is looked at again. */
const LOOK_AGAIN = 20;

/** Goes to the container's folder, with its PATH, and becomes the command. Finds the programs by `/bin/sh` alone. */
const BECOME = 'cd "$1" && PATH=$2 && export PATH && shift 2 && exec "$@"';

/** Exit code of what a signal ended, as shells count. */
const SIGNALLED: Readonly<Record<string, number>> = { SIGKILL: 137, SIGTERM: 143, SIGINT: 130 };

/** Runs commands in the containers of this node: in their namespaces, as their user, with their environment. */
export class NodeExec implements PodExec {
  readonly #options: NodeExecOptions;

  constructor(options: NodeExecOptions) {
    this.#options = options;
  }

  async open(name: ObjectName, request: PodExecRequest, signal: AbortSignal): Promise<StartCommand> {
    const { containers, processes } = this.#options;
    const inside = await this.#inside(name, request.container, signal);
    const [program = "", ...args] = entering(inside, containers.isolation, request.command);
    return async (stdin) => {
      const options = { env: environmentOf(inside), cwd: "/", ...(stdin ? { stdin } : {}) };
      const { stdout, stderr, ended } = await processes.start(program, args, options);
      const end = ended.then(({ code, signal: by }) => ({ code: code ?? SIGNALLED[by ?? ""] ?? 1 }));
      return { stdout, stderr, ended: end };
    };
  }

  async #inside(name: ObjectName, wanted: string | undefined, signal: AbortSignal): Promise<Inside> {
    const { reader, containers, clock } = this.#options;
    const pod = await reader.get(Pods, name, { signal });
    if (containers.isolation === "none") {
      throw refusal(
        500,
        "InternalError",
        "this machine offers no namespaces, as root or as a user, so no command can be run in a pod; run it on this machine",
      );
    }
    const container = containerOf(pod, wanted);
    for (;;) {
      const inside = containers.inside(pod.metadata.uid, container);
      if (inside === undefined) break;
      if (inside !== "starting") return inside;
      // The pod says that it runs from the moment that its mounts are being made.
      await sleep(clock, LOOK_AGAIN, signal);
    }
    throw refusal(500, "InternalError", `container not found ("${container}")`);
  }
}

/** The command line that runs a command inside of a container. */
function entering(inside: Inside, isolation: Isolation, command: readonly string[]): readonly string[] {
  const { pid, runAs, workingDir, path } = inside;
  const user = isolation === "user" ? ["--user", "--preserve-credentials"] : [];
  const identity = isolation === "root" ? ["setpriv", ...identityOptions(runAs), "--"] : [];
  const entered = ["nsenter", `--target=${pid}`, ...user, "--mount", "--uts", "--pid", "--"];
  const within = [...identity, "sh", "-c", BECOME, "sh", workingDir, path, ...command];
  return ["/bin/sh", "-c", `PATH=${TOOLS_PATH} exec "$@"`, "sh", ...entered, ...within];
}

/** What the container's program was started with. */
function environmentOf({ pid }: Inside): Readonly<Record<string, string>> {
  const words = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
  return Object.fromEntries(
    words.map((word) => {
      const mark = word.indexOf("=");
      return [word.slice(0, mark), word.slice(mark + 1)];
    }),
  );
}

function containerOf({ metadata, spec }: Pod, wanted: string | undefined): string {
  const names = (spec?.containers ?? []).map(({ name }) => name);
  const [first = ""] = names;
  if (wanted === undefined && names.length === 1) return first;
  if (wanted === undefined) {
    throw refusal(
      400,
      "BadRequest",
      `a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(" ")}]`,
    );
  }
  if (names.includes(wanted)) return wanted;
  throw refusal(400, "BadRequest", `container ${wanted} is not valid for pod ${metadata.name}`);
}

function refusal(code: number, reason: string, message: string): ApiError {
  return new ApiError({ request: "exec", code, status: { code, reason, message } });
}
