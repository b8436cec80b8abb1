import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse, parseAllDocuments, stringify } from "yaml";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { StorageClasses } from "../../src/kube/builtin.ts";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import type { Ended } from "../scenarios/cli_program.ts";
import type { CliPlace } from "./cli_place.ts";

const EXAMPLE = "examples/kopiur/restore-drill.yaml";

interface DrillManifest {
  readonly kind: string;
  readonly data: Readonly<Record<string, string>>;
  readonly spec: {
    readonly jobTemplate: { readonly spec: { readonly template: { readonly spec: DrillPod } } };
  };
}

interface DrillPod {
  readonly containers: readonly {
    readonly command: readonly string[];
    readonly args: readonly string[];
    readonly volumeMounts: readonly { readonly mountPath: string }[];
  }[];
}

/** What the drill of the examples names: the recipe in its namespace, and a storage class. */
export async function furnishDrill(place: CliPlace): Promise<void> {
  const metadata = { name: "fast-ssd" };
  const [known] = (await place.client.list(StorageClasses)).items;
  if (!known) throw new Error("there is no storage class");
  await place.client.create(StorageClasses, { metadata, provisioner: known.provisioner });
  await place.furnish("billing", "kopia", []);
  await place.claim("billing", "postgres-data");
  await place.put("billing", "postgres-data", [{ path: "table", file: { text: "rows\n" } }]);
  await place.create(backupConfigResource, "billing", "postgres-data", {
    repository: { name: "repository" },
    sources: [{ pvc: { name: "postgres-data" } }],
    copyMethod: "Direct",
    mover: { privilegedMode: true },
  });
}

/** Runs what the drill's CronJob has its container run, as if in a pod of its namespace. */
export async function drill({ folder }: CliPlace): Promise<Ended> {
  const manifests = parseAllDocuments(readFileSync(EXAMPLE, "utf8")).map(
    (one) => one.toJS() as DrillManifest,
  );
  const data = manifests.find(({ kind }) => kind === "ConfigMap")?.data ?? {};
  const job = manifests.find(({ kind }) => kind === "CronJob")?.spec.jobTemplate.spec.template.spec;
  const [container, ...others] = job?.containers ?? [];
  if (!container || others.length > 0) throw new Error(`${EXAMPLE} has not one container`);
  const [mount] = container.volumeMounts;
  const [shell = "", ...options] = container.command;
  const home = mkdtempSync(join(tmpdir(), "drill-"));
  try {
    for (const [name, text] of Object.entries(data)) writeFileSync(join(home, name), text);
    const kubeconfig = parse(readFileSync(join(folder, "kubeconfig"), "utf8")) as {
      readonly contexts: readonly { readonly name: string; readonly context: object }[];
    };
    const contexts = kubeconfig.contexts.map(({ name, context }) => ({
      name,
      context: { ...context, namespace: "billing" },
    }));
    writeFileSync(join(home, "kubeconfig"), stringify({ ...kubeconfig, contexts }));
    const args = container.args.map((text) => text.replaceAll(`${mount?.mountPath}/`, `${home}/`));
    const env = {
      PATH: `${dirname(pinnedProgram("kubectl"))}:${process.env.PATH}`,
      HOME: home,
      KUBECONFIG: join(home, "kubeconfig"),
    };
    return await new Promise((resolve) => {
      execFile(shell, [...options, ...args], { env, timeout: 100_000 }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
      );
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
