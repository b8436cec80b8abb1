import { OWNER_LABEL, ownerLabel } from "../../core/work/run_labels.ts";
import { ApiError } from "../../kube/api_error.ts";
import { type Pod, Pods } from "../../kube/builtin.ts";
import { sleep } from "../../lib/clock.ts";
import { lines } from "../../lib/lines.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { type NativeObject, referenceOf } from "../frame/kinds.ts";
import { CommandProblem } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { logText } from "../logs/log_text.ts";

/** What the movers of an object said: from their pods while there are some, else what its status kept. */
export async function logs(call: Call): Promise<ExitCode> {
  const { given, signal, out, progress } = call;
  const { resource, name } = referenceOf(given.word(0), { usual: "backup" });
  const cluster = await call.cluster();
  const { client, pods } = cluster;
  const where = resource.namespaced ? { namespace: namespaceOf(call, cluster), name } : { name };
  const object = await client.get(resource, where, { signal });
  const pod = newestPod(
    (
      await client.list(Pods, {
        labelSelector: `${OWNER_LABEL}=${ownerLabel(object.metadata)}`,
        signal,
        ...namespaceOfRuns(object),
      })
    ).items,
  );
  if (!pod) {
    kept(call, object);
    return EXIT.done;
  }
  const follow = given.flag("follow");
  const raw = given.flag("raw");
  for await (const line of lines(spoken(call, pods, pod, follow))) {
    const said = raw ? { line } : logText(line);
    if (said.line !== undefined) out(said.line);
    else if (said.progress !== undefined) progress.show(`  ${said.progress}`);
  }
  return EXIT.done;
}

/** Between two looks at a container that has not begun. */
const PAUSE = 300;

/** What a mover says. Whoever follows it waits for its beginning, too. */
async function* spoken(
  { clock, signal, progress }: Call,
  pods: Cluster["pods"],
  { metadata }: Pod,
  follow: boolean,
): AsyncIterable<Uint8Array> {
  for (;;) {
    try {
      yield* pods.logs(metadata, { signal, ...(follow ? { follow } : {}) });
      return;
    } catch (error) {
      if (!isWaiting(error)) throw error;
      if (!follow)
        throw new CommandProblem("its mover has said nothing yet", {
          why: error.said,
          fix: "Follow it with -f, or try again in a moment.",
          cause: error,
        });
    }
    progress.show("  its mover is on its way …");
    await sleep(clock, PAUSE, signal);
  }
}

/** The node has not started the container: nothing was said so far. */
function isWaiting(error: unknown): error is ApiError {
  return (
    error instanceof ApiError && error.code === 400 && /waiting to start|ContainerCreating/.test(error.said)
  );
}

function namespaceOfRuns({ metadata, status }: NativeObject): { readonly namespace?: string } {
  const namespace = status?.job?.namespace ?? metadata.namespace;
  return namespace === undefined ? {} : { namespace };
}

function newestPod(pods: readonly Pod[]): Pod | undefined {
  return pods.toSorted(
    (a, b) => Date.parse(b.metadata.creationTimestamp) - Date.parse(a.metadata.creationTimestamp),
  )[0];
}

function kept({ out, progress }: Call, { kind, metadata, status }: NativeObject): void {
  if (!status?.logTail) {
    throw new CommandProblem(`${kind} ${metadata.name} has no log`, {
      why: "No mover of it is there any more, and its status kept no lines: it has not begun, or it ended well.",
      fix: `holdfast explain ${kind.toLowerCase()}/${metadata.name} says how it stands.`,
      code: EXIT.notFound,
    });
  }
  progress.line("(the mover is gone: these are the last lines that the status kept)");
  for (const line of status.logTail.trimEnd().split("\n")) out(line);
}
