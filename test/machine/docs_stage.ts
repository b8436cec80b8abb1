import { execFile } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import { KINDS } from "../../src/kinds/kopiur/kinds.ts";
import { Namespaces } from "../../src/kube/builtin.ts";
import type { HttpClient } from "../../src/kube/client/http_client.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import { apiVersionOf, type Resource } from "../../src/kube/resource.ts";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import type { YamlBlock } from "../unit/docs/yaml_blocks.ts";
import { HoldfastHome } from "./holdfast_home.ts";

/** Kinds that the control plane for one machine does not serve. */
const ELSEWHERE = new Set(["CronJob", "ReplicationDestination", "ReplicationSource"]);

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Manifest extends KubeObject {
  readonly spec?: object;
}

/** `npm start`, with its webhooks, for what the documentation and the examples tell to apply and to run there. */
export class DocsStage implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "holdfast-docs-"));
  readonly #home: HoldfastHome;
  readonly #client: HttpClient;
  readonly #examples: readonly Manifest[];
  readonly #seeded = new Map<string, Promise<void>>();

  private constructor(home: HoldfastHome, client: HttpClient) {
    this.#home = home;
    this.#client = client;
    this.#examples = globSync("examples/**/*.yaml").flatMap((file) =>
      parseAllDocuments(readFileSync(file, "utf8")).map((one) => one.toJS() as Manifest),
    );
  }

  static async open(): Promise<DocsStage> {
    const home = new HoldfastHome();
    await home.start();
    return new DocsStage(home, (await home.client()).client);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#home[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A folder with all manifests of the examples and of these blocks; their namespaces are made. */
  async lay(blocks: readonly YamlBlock[]): Promise<string> {
    const all = [...this.#examples, ...blocks.flatMap((block) => ("objects" in block ? block.objects : []))];
    const here = all.filter(({ kind = "" }) => kind !== "Namespace" && !ELSEWHERE.has(kind));
    const folder = join(this.folder, "manifests");
    mkdirSync(folder);
    for (const [at, object] of here.entries()) writeFileSync(join(folder, `${at}.yaml`), stringify(object));
    const spaces = all.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata);
    const names = [
      ...spaces.map(({ name }) => name),
      ...here.flatMap(({ metadata }) => metadata.namespace ?? []),
    ];
    for (const name of new Set(names)) {
      const told = spaces.filter((space) => space.name === name).map(({ annotations }) => annotations ?? {});
      const metadata = { name, annotations: Object.assign({}, ...told) as Readonly<Record<string, string>> };
      await this.#client.apply(Namespaces, { metadata }, { fieldManager: "docs" });
    }
    return folder;
  }

  /** An object of ours, as the examples have one, under this name. Does nothing for others' resources. */
  seed(resourceName: string, name: string): Promise<void> {
    const key = `${resourceName}/${name}`;
    const seeded = this.#seeded.get(key) ?? this.#seed(resourceName, name);
    this.#seeded.set(key, seeded);
    return seeded;
  }

  async #seed(resourceName: string, name: string): Promise<void> {
    const resource = KINDS.find(({ resource }) => resource.plural === resourceName.split(".")[0])?.resource;
    if (!resource) return;
    const example = this.#examples.find(
      ({ apiVersion, kind, spec }) =>
        apiVersion === apiVersionOf(resource) && kind === resource.kind && !isPrivileged(spec),
    );
    // A repository has one Maintenance, and owners are for one repository.
    const apart = resource.kind === "Maintenance" ? { repository: { kind: "Repository", name } } : {};
    await this.#client.create(resource as Resource<Manifest>, {
      metadata: { name, ...(resource.namespaced ? { namespace: "default" } : {}) },
      spec: { ...example?.spec, ...apart },
    });
  }

  kubectl(args: readonly string[]): Promise<ProgramEnd> {
    const env = { ...process.env, KUBECONFIG: join(this.#home.folder, "kubeconfig") };
    return program("kubectl", args, env);
  }
}

/** Whether it needs a namespace that consents. */
function isPrivileged(spec: object | undefined): boolean {
  return JSON.stringify(spec).includes("privilegedMode");
}

/** Runs a pinned program to its end. */
export function program(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<ProgramEnd> {
  const options = { env, encoding: "utf8", maxBuffer: 2 ** 26 } as const;
  return new Promise((resolve) => {
    execFile(pinnedProgram(name), args, options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    );
  });
}
