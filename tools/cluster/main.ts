import { parseArgs } from "node:util";
import { messageOf } from "../../src/lib/result.ts";
import { type ClusterStatus, down, load, loadBuiltin, type Shape, status, up } from "./cluster.ts";
import { clusterNames } from "./info.ts";

const USAGE = `npm run cluster -- VERB [--name NAME]

  up      starts a cluster of one node, or returns the one that runs   (root)
            --control-plane-only   only etcd and the API server        (no root)
            --with-controllers     the controller manager as well
            --api-server PROGRAM   another version, such as kube-apiserver-1.34
            --apiserver-arg ARG    one more argument of the API server; may be repeated
  down    ends everything that was started, and removes its data
            --keep                 leaves the data for the next up
            --all                  every cluster
  status  the clusters, or one of them, with their components
  load    ARCHIVE…|--busybox       brings images into the cluster

NAME is "default" unless given. State is in HOLDFAST_CLUSTERS, or below ~/.local/state/holdfast/clusters.`;

class UsageError extends Error {
  override name = "UsageError";
}

const say = (line: string) => console.error(line);

async function main(argv: readonly string[]): Promise<void> {
  const { values, positionals } = parse(argv);
  const [verb, ...rest] = positionals;
  if (values.help || verb === undefined) return console.log(USAGE);
  const { name = "default" } = values;
  if (verb !== "load" && rest.length > 0) throw new UsageError(`${verb} takes no ${rest[0]}`);
  switch (verb) {
    case "up": {
      const shape: Shape = values["control-plane-only"]
        ? { kind: "control-plane", controllers: values["with-controllers"] ?? false }
        : { kind: "full" };
      const begin = performance.now();
      const info = await up({
        name,
        shape,
        ...(values["api-server"] ? { apiServer: values["api-server"] } : {}),
        apiserverArgs: values["apiserver-arg"] ?? [],
        report: say,
      });
      say(
        `cluster ${name} is up, after ${((performance.now() - begin) / 1000).toFixed(1)} s: ${info.server}`,
      );
      return console.log(`export KUBECONFIG=${info.kubeconfig}`);
    }
    case "down":
      for (const each of values.all ? clusterNames() : [name]) {
        await down(each, { wipe: !values.keep });
        say(`cluster ${each} is down${values.keep ? "; its data is kept" : ""}`);
      }
      return;
    case "status":
      return printStatus(values.name === undefined ? clusterNames() : [values.name]);
    case "load":
      if (values.busybox) await loadBuiltin(name);
      else if (rest.length === 0) throw new UsageError("load takes archives, or --busybox");
      await load(name, rest);
      return;
    default:
      throw new UsageError(`${verb} is not a verb`);
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        name: { type: "string" },
        "control-plane-only": { type: "boolean" },
        "with-controllers": { type: "boolean" },
        "api-server": { type: "string" },
        "apiserver-arg": { type: "string", multiple: true },
        keep: { type: "boolean" },
        all: { type: "boolean" },
        busybox: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (cause) {
    throw new UsageError(messageOf(cause), { cause });
  }
}

function printStatus(names: readonly string[]): void {
  if (names.length === 0) console.log("no clusters");
  for (const name of names) {
    const found = status(name);
    console.log(found ? describe(found) : `${name}: there is no such cluster`);
  }
}

function describe({ info, state, components }: ClusterStatus): string {
  const lines = [
    `${info.name}: ${state}`,
    `  kubeconfig  ${info.kubeconfig}`,
    `  server      ${info.server}`,
    `  host        ${info.hostAddress}`,
    ...(info.node ? [`  addresses   ${info.node.addresses.range}`] : []),
    ...Object.entries(components).map(
      ([name, state]) => `  ${name.padEnd(24)} ${state.padEnd(8)} pid ${info.components[name]?.process.pid}`,
    ),
  ];
  return lines.join("\n");
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  say(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : messageOf(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
