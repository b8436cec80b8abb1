import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { buildTree, type TreeEntry } from "../../src/engines/testing/tree.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { Namespaces, PersistentVolumeClaims, Secrets } from "../../src/kube/builtin.ts";
import type { HttpClient } from "../../src/kube/client/http_client.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import { testEngines } from "../../tools/images/test_engines.ts";
import { CliProgram, type Ended } from "../scenarios/cli_program.ts";
import { volumeHandle } from "../scenarios/volume_handle.ts";
import { HoldfastHome } from "./holdfast_home.ts";

/** `npm start` without its demonstration, and the bundled command line beside it. */
export class CliPlace implements AsyncDisposable {
  readonly client: HttpClient;
  /** The link to its console: opens that once. */
  readonly console: string;
  readonly #home: HoldfastHome;
  readonly #program: CliProgram;

  private constructor(home: HoldfastHome, client: HttpClient, console: string, program: CliProgram) {
    this.#home = home;
    this.client = client;
    this.console = console;
    this.#program = program;
  }

  static async open(): Promise<CliPlace> {
    const home = new HoldfastHome();
    const running = home.runProgram("tools/run/start.ts", ["--no-demo"], {
      HOLDFAST_PROGRAMS: JSON.stringify(testEngines()),
    });
    const { folder } = home;
    const program = await CliProgram.bundled({ folder, kubeconfig: join(folder, "kubeconfig") });
    // The last of what it says before it is used.
    const link = () => running.output.flatMap((line) => /http:\S+token=\w+/.exec(line)?.[0] ?? [])[0];
    while (link() === undefined) {
      if (running.child.exitCode !== null) throw new Error(running.output.join("\n"));
      await pause(20);
    }
    return new CliPlace(home, (await home.client()).client, link() ?? "", program);
  }

  get folder(): string {
    return this.#home.folder;
  }

  /** The bundled command line's file. */
  get program(): string {
    return this.#program.path;
  }

  /** Runs `holdfast` with these words. */
  run(words: readonly string[]): Promise<Ended> {
    return this.#program.run(words);
  }

  /** The same, with an output whose reader has left, or that is full. */
  runInto(output: "closed" | "full", words: readonly string[]): Promise<Omit<Ended, "stdout">> {
    return this.#program.runInto(output, words);
  }

  /**
   * A namespace with a repository on a volume, and a recipe of the claim `documents`. A repository that is `locked`
   * lacks its password, and is never made.
   */
  async furnish(
    namespace: string,
    engine: EngineName,
    documents: readonly TreeEntry[],
    { locked = false }: { readonly locked?: boolean } = {},
  ): Promise<void> {
    const annotations = { [ANNOTATIONS.allowPrivilegedMovers]: "true" };
    await this.client.create(Namespaces, { metadata: { name: namespace, annotations } });
    for (const name of ["repository", "documents"]) await this.claim(namespace, name);
    if (!locked) {
      await this.client.create(Secrets, {
        metadata: { namespace, name: "password" },
        stringData: { KOPIA_PASSWORD: "correct horse" },
      });
    }
    await this.create(repositoryResource, namespace, "repository", {
      engine,
      backend: { filesystem: { pvc: { name: "repository" } } },
      encryption: { passwordSecretRef: { name: "password" } },
      create: { enabled: true },
      moverDefaults: { privilegedMode: true },
    });
    await this.create(backupConfigResource, namespace, "documents", {
      repository: { name: "repository" },
      sources: [{ pvc: { name: "documents" } }],
      copyMethod: "Direct",
      mover: { privilegedMode: true },
    });
    await this.put(namespace, "documents", documents);
  }

  async claim(namespace: string, name: string): Promise<void> {
    await this.client.create(PersistentVolumeClaims, {
      metadata: { namespace, name },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "100Mi" } } },
    });
  }

  /** Makes a tree on the volume of a claim. */
  async put(namespace: string, claim: string, entries: readonly TreeEntry[]): Promise<void> {
    await buildTree(await this.volume(namespace, claim), entries);
  }

  /** The folder of a claim's volume. */
  async volume(namespace: string, name: string): Promise<string> {
    return join(this.folder, "node", "volumes", await volumeHandle(this.client, { namespace, name }));
  }

  /** The server fills in the defaults, so a spec need not be whole. */
  async create<T extends KubeObject>(
    resource: Resource<T>,
    namespace: string,
    name: string,
    spec: object,
  ): Promise<T> {
    return this.client.create(resource, { metadata: { namespace, name }, spec } as unknown as Draft<T>);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#home[Symbol.asyncDispose]();
  }
}
