import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseAllDocuments } from "yaml";
import { isAlreadyExists, isNotFound, isNotServed } from "../../src/kube/api_error.ts";
import type { Client } from "../../src/kube/client.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import type { PolicyRule } from "../../src/kube/policy_rules.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import type { Account, AccountRights } from "./account.ts";

const FOLDER = join(import.meta.dirname, "../third_party");

/** Strategies of this type are somebody else's: no program of ours knows the kind. */
export const FOREIGN = { apiGroup: "tapes.example.com", kind: "Tape", name: "robot" };

export const TAPES: Resource<KubeObject & { readonly spec: object }> = {
  group: FOREIGN.apiGroup,
  version: "v1",
  kind: FOREIGN.kind,
  plural: "tapes",
  namespaced: false,
};
/** Applications that the driver knows how to back up. */
export const MAILBOXES: Resource<KubeObject & { readonly spec: object }> = {
  group: "apps.cozystack.io",
  version: "v1alpha1",
  kind: "Mailbox",
  plural: "mailboxes",
  namespaced: true,
};
const CRDS: Resource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

const brought = parseAllDocuments(readFileSync(join(FOLDER, "tape_driver.yaml"), "utf8")).map(
  (one) => one.toJS() as KubeObject & { readonly rules?: readonly PolicyRule[] },
);

/** Installs the kinds that the driver brings along, unless they are there. */
export async function installForeignKinds(client: Client): Promise<void> {
  for (const crd of brought.filter(({ kind }) => kind === CRDS.kind)) {
    await client.create(CRDS, crd as Draft<KubeObject>).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
}

/** Waits until the API server serves them. */
export async function foreignKindsServed(client: Client): Promise<void> {
  for (const resource of [TAPES, MAILBOXES]) {
    for (let tries = 0; ; tries += 1) {
      const served = await client.metadata.list(resource, { limit: 1 }).catch((error: unknown) => {
        if (!(isNotFound(error) || isNotServed(error)) || tries > 300) throw error;
        return undefined;
      });
      if (served) break;
      await sleep(systemClock, 100);
    }
  }
}

interface Place {
  account(rights: AccountRights): Promise<Account>;
}

/** A driver of a third party: a program of its own that reaches the API server as itself, with rights of its own. */
export class ForeignDriver implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #stack: AsyncDisposableStack;

  private constructor(child: ChildProcess, stack: AsyncDisposableStack) {
    this.#child = child;
    this.#stack = stack;
  }

  /** `home`: the namespace of its account. */
  static async start(place: Place, home: string): Promise<ForeignDriver> {
    await using stack = new AsyncDisposableStack();
    const cluster = brought.flatMap(({ rules = [] }) => rules);
    const { credentials } = stack.use(await place.account({ rules: { cluster, home: [] }, home }));
    const folder = mkdtempSync(join(tmpdir(), "tapes-"));
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const ca = join(folder, "ca.pem");
    writeFileSync(ca, credentials.ca);
    const child = spawn(process.execPath, [join(FOLDER, "tape_driver.ts")], {
      env: {
        NODE_EXTRA_CA_CERTS: ca,
        API_SERVER: credentials.server,
        API_TOKEN: credentials.token,
        TAPES: folder,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    stack.defer(async () => {
      const ended = once(child, "exit");
      if (child.kill("SIGKILL")) await ended;
    });
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      if (line === "ready") return new ForeignDriver(child, stack.move());
    }
    throw new Error("the driver ended before it was ready");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) throw new Error("the driver ended by itself");
    await this.#stack[Symbol.asyncDispose]();
  }
}
