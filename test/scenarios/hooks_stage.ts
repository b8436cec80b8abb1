import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import type { BackupConfigSpec } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { type Pod, Pods } from "../../src/kube/builtin.ts";
import type { Partially } from "../../src/kube/object.ts";
import type { Stage } from "./stage.ts";
import { recipe } from "./staging_stage.ts";

/** The volume's files are here in the workload. */
const DATA = "/data";

/** A program of node, in the workload's pod or a Job's. `fs` is there. */
function program(text: string): string[] {
  const beginning = `const fs = require("fs"); process.chdir(${JSON.stringify(DATA)});`;
  return ["/usr/local/bin/node", "-e", `${beginning} ${text}`];
}

/** A recipe of the claim `data`, with what is done around its capture. */
export function hooked(
  stage: Stage,
  name: string,
  hooks: { readonly beforeSnapshot?: readonly object[]; readonly afterSnapshot?: readonly object[] },
  more: Partially<BackupConfigSpec> = {},
): Promise<void> {
  const spec = { sources: [{ pvc: { name: "data" } }], hooks, ...more };
  return recipe(stage, name, spec as unknown as Partially<BackupConfigSpec>);
}

/** Says that it has begun, and ends once the file `go` is there. */
export const WAITS_FOR_GO =
  'fs.writeFileSync("begun", ""); const wait = () => fs.existsSync("go") || setTimeout(wait, 50); wait();';

/** A command in the workload. */
export function exec(text: string, more: object = {}) {
  return {
    workloadExec: { podSelector: { matchLabels: { app: "workload" } }, command: program(text), ...more },
  };
}

/** A Job that runs a program beside the workload, on the same volume. */
export function job({ world }: Stage, text: string) {
  return { runJob: { jobSpec: { template: { spec: podSpec(world.moverImage, text) } } } };
}

function podSpec(image: string, text: string) {
  return {
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 1,
    automountServiceAccountToken: false,
    containers: [
      {
        name: "main",
        image,
        imagePullPolicy: "Never",
        command: program(text),
        securityContext: { runAsUser: 0 },
        volumeMounts: [{ name: "data", mountPath: DATA }],
      },
    ],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
  };
}

/** A pod, labelled `app: workload`, that uses the claim `data` and does nothing. */
export async function workload(stage: Stage): Promise<Pod> {
  const { client, moverImage } = stage.world;
  const { namespace } = stage;
  const name = "workload-0";
  const spec = podSpec(moverImage, "setInterval(() => {}, 60000)");
  await client.create(Pods, { metadata: { namespace, name, labels: { app: "workload" } }, spec });
  return stage.eventually("the workload runs", async () => {
    const value = await client.get(Pods, { namespace, name });
    const ready = value.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
    return { done: ready === true, value };
  });
}

/** Names at the top of a claim's volume. */
export async function filesOf(stage: Stage, claim: string): Promise<readonly string[]> {
  return (await stage.describe(claim)).map(({ path }) => path).filter((path) => !path.includes("/"));
}

export async function untilFile(stage: Stage, name: string): Promise<void> {
  await stage.eventually(`the file ${name} is there`, async () => {
    const value = await filesOf(stage, "data");
    return { done: value.includes(name), value };
  });
}

export function failedBackup(stage: Stage, name: string): Promise<Backup> {
  return stage.until(backupResource, name, "Failed", ["Succeeded"]);
}

/** What the Backup says of itself. */
export function readyOf({ status }: Backup): { readonly reason?: string; readonly message?: string } {
  return status?.conditions?.find(({ type }) => type === "Ready") ?? {};
}
