import { underAccount } from "../../core/work/mover_accounts.ts";
import { parseLine } from "../../core/work/mover_report.ts";
import { attemptOf } from "../../core/work/run_request.ts";
import { SessionClient } from "../../core/work/session/session_client.ts";
import { mintSessionKeys } from "../../core/work/session/session_keys.ts";
import { makeSession, removeSession } from "../../core/work/session/session_objects.ts";
import { onSomePort } from "../../core/work/session/session_port.ts";
import { type SessionRequest, sessionTask } from "../../core/work/session/session_request.ts";
import { type Pod, Pods } from "../../kube/builtin.ts";
import { sleep } from "../../lib/clock.ts";
import { lines } from "../../lib/lines.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { CommandProblem } from "../frame/problem.ts";
import { CLIENT_KEYS } from "./ask_script.ts";
import { ExecSender } from "./exec_sender.ts";
import { markedAsOurs } from "./marked_as_ours.ts";
import { presentAccount } from "./present_account.ts";
import { SeatedSender } from "./seated_sender.ts";

/** A read-only session with a repository that this program started, and takes away. */
export interface OpenedSession extends AsyncDisposable {
  readonly client: SessionClient;
}

/** The session ends by itself when this program is gone without a word. */
const IDLE_SECONDS = 120;
const PATIENCE = 120_000;
const LOOK_EVERY = 250;

/** Starts a session with the rights of whoever runs this program, and waits until its pod runs. */
export function openSession(call: Call, request: SessionRequest): Promise<OpenedSession> {
  const told = (error: unknown) => (error instanceof CommandProblem && error.why) || "";
  return onSomePort((port) => openOn(port, call, request), { random: call.random, told });
}

async function openOn(port: number, call: Call, request: SessionRequest): Promise<OpenedSession> {
  const { clock, random, signal, progress } = call;
  const cluster = await call.cluster();
  const choices = { mark: random.hex(4), port, idleSeconds: IDLE_SECONDS };
  const accounts = { in: (namespace: string) => presentAccount(cluster.client, namespace, { signal }) };
  const run = await underAccount(attemptOf(sessionTask(request, choices), 1), accounts, { signal });
  const { mover, operator } = mintSessionKeys({ now: clock.now(), random });
  const keys = {
    ...mover,
    [CLIENT_KEYS.cert]: String(operator.cert ?? ""),
    [CLIENT_KEYS.key]: String(operator.key ?? ""),
  };
  progress.show("Opening the repository …");
  const writer = markedAsOurs(cluster.client);
  // Also when this program is told to end: nobody else removes it.
  const remove = () => removeSession(writer, run, { timeout: 10_000 }).catch(() => {});
  try {
    await makeSession(writer, run, keys, { signal });
    const pod = await whenRunning(call, cluster, run);
    const sender = new ExecSender({ pods: cluster.pods, pod: pod.metadata, port, signal });
    const client = new SessionClient(new SeatedSender(sender));
    await client.info({ signal }).catch(async (error: unknown) => {
      throw (await failureIn(call, cluster, pod)) ?? error;
    });
    progress.clear();
    return {
      client,
      async [Symbol.asyncDispose]() {
        client.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function whenRunning(
  call: Call,
  cluster: Cluster,
  { namespace, id }: { readonly namespace: string; readonly id: string },
): Promise<Pod> {
  const { clock, signal } = call;
  const end = clock.monotonic() + PATIENCE;
  let pod: Pod | undefined;
  while (clock.monotonic() < end) {
    const labelSelector = `batch.kubernetes.io/job-name=${id}`;
    [pod] = (await cluster.client.list(Pods, { namespace, labelSelector, signal })).items;
    const phase = pod?.status?.phase;
    if (pod && phase === "Running") return pod;
    if (pod && (phase === "Failed" || phase === "Succeeded"))
      throw (
        (await failureIn(call, cluster, pod)) ?? new CommandProblem("the repository session ended at once")
      );
    await sleep(clock, LOOK_EVERY, signal);
  }
  const waiting = pod?.status?.containerStatuses?.[0]?.state?.waiting;
  const unscheduled = pod?.status?.conditions?.find(({ type }) => type === "PodScheduled")?.message;
  throw new CommandProblem("the repository session does not start", {
    why: waiting?.message ?? waiting?.reason ?? unscheduled ?? `The Job ${id} has no pod.`,
    fix: `kubectl describe job ${id} -n ${namespace} tells more while it is there.`,
  });
}

/** What the mover itself says went wrong. */
async function failureIn({ signal }: Call, { pods }: Cluster, pod: Pod): Promise<CommandProblem | undefined> {
  for await (const line of lines(pods.logs(pod.metadata, { signal }))) {
    const said = parseLine(line);
    if ("result" in said && said.result.failure) {
      const { message, remedy } = said.result.failure;
      return new CommandProblem("the repository cannot be opened", { why: message, fix: remedy });
    }
  }
  return undefined;
}
