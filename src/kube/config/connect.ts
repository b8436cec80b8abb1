import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import type { HttpSender } from "../../lib/http.ts";
import { HttpsSender } from "../../lib/https_sender.ts";
import type { Processes } from "../../lib/processes.ts";
import { unreachable } from "../../lib/result.ts";
import { AuthorizedSender } from "./authorized_sender.ts";
import { type Credentials, fixedCredentials } from "./credentials.ts";
import { ExecCredentials } from "./exec_plugin.ts";
import { type Context, KubeconfigError, loadKubeconfig } from "./kubeconfig.ts";
import { TokenFile } from "./token_file.ts";

export interface ConnectOptions {
  readonly clock: Clock;
  readonly processes: Processes;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Paths of kubeconfig files, as in KUBECONFIG. */
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Where a pod finds its token and authority. */
  readonly serviceAccountFolder?: string;
}

/** A way to the API server, and the namespace that is ours there. */
export interface Connection {
  readonly sender: HttpSender;
  readonly namespace: string;
  readonly server: string;
  /** Of the kubeconfig, where one is used. */
  readonly context?: string;
}

const SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Connects as asked for; without a word, as KUBECONFIG says, then as this pod, then by ~/.kube/config. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { env } = options;
  const paths = options.kubeconfig ?? env.KUBECONFIG;
  if (paths) return fromContext(await loadKubeconfig(paths, options.context), options);
  if (env.KUBERNETES_SERVICE_HOST && !options.context) return fromPod(options);
  const path = join(env.HOME ?? homedir(), ".kube", "config");
  return fromContext(await loadKubeconfig(path, options.context), options);
}

async function fromPod(options: ConnectOptions): Promise<Connection> {
  const { env, clock, serviceAccountFolder: folder = SERVICE_ACCOUNT_FOLDER } = options;
  const host = env.KUBERNETES_SERVICE_HOST ?? "";
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${env.KUBERNETES_SERVICE_PORT ?? "443"}`;
  const read = (name: string) =>
    readFile(join(folder, name), "utf8").catch((cause: Error) => {
      throw new KubeconfigError(`this pod has no service account token: ${cause.message}`, { cause });
    });
  const ca = await read("ca.crt");
  const namespace = (await read("namespace")).trim();
  const sender = new AuthorizedSender(
    new TokenFile(join(folder, "token"), clock),
    () => new HttpsSender({ url: server, tls: { ca } }),
  );
  return { sender, namespace, server };
}

function fromContext(context: Context, options: ConnectOptions): Connection {
  const { name, server, servername, ca, namespace } = context;
  const sender = new AuthorizedSender(credentialsOf(context, options), ({ cert, key }) => {
    const shown = cert && key ? { cert, key } : {};
    return new HttpsSender({
      url: server,
      tls: { ...(ca ? { ca } : {}), ...(servername ? { servername } : {}), ...shown },
    });
  });
  return { sender, namespace, server, context: name };
}

function credentialsOf(context: Context, { clock, env, processes }: ConnectOptions): Credentials {
  const { user } = context;
  switch (user.type) {
    case "anonymous":
      return fixedCredentials({ headers: {} });
    case "token":
      return fixedCredentials({ headers: { authorization: `Bearer ${user.token}` } });
    case "tokenFile":
      return new TokenFile(user.path, clock);
    case "basic": {
      const pair = Buffer.from(`${user.username}:${user.password}`).toString("base64");
      return fixedCredentials({ headers: { authorization: `Basic ${pair}` } });
    }
    case "certificate":
      return fixedCredentials({ headers: {}, cert: user.cert, key: user.key });
    case "exec": {
      const cluster = {
        server: context.server,
        ...(context.ca ? { "certificate-authority-data": Buffer.from(context.ca).toString("base64") } : {}),
      };
      return new ExecCredentials({ plugin: user.plugin, cluster, env, processes, clock });
    }
    default:
      return unreachable(user);
  }
}
