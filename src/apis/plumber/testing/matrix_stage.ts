import type { Claim } from "../../../core/volumes/claim_request.ts";
import type { AdmissionRequest } from "../../../kube/admission/review.ts";
import type { Reader, Writer } from "../../../kube/client.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import type { Logger } from "../../../observe/log.ts";
import { Metrics } from "../../../observe/metrics.ts";
import { completed, type PlumberWebhookPorts, validated } from "../admission/plumber_webhooks.ts";
import { plumberCounters, tallyOf } from "../plumber_counters.ts";
import { protect } from "../protect/protect_controller.ts";
import { repositoryText } from "../repositories.ts";
import { sampleWorld } from "./sample_world.ts";

/** What became of a PVC on its way in. */
export interface Admitted {
  readonly allowed: boolean;
  /** The object that it gets its data from. */
  readonly source?: string | undefined;
  readonly message?: string | undefined;
  readonly warnings: readonly string[];
}

/** Webhooks and reconciler of a world, with all that they tell: events, metrics, log lines, and what they write. */
export class MatrixStage {
  readonly sample: ReturnType<typeof sampleWorld>;
  readonly events: string[] = [];
  readonly written: string[] = [];
  readonly lines: object[] = [];
  /** What the API server answers to a create. */
  refusal: Error | undefined;
  /** What the API server has, and no cache yet. */
  live: readonly KubeObject[] = [];
  readonly #metrics = new Metrics();
  readonly #ports: PlumberWebhookPorts;

  constructor(settings: object) {
    this.sample = sampleWorld(settings);
    const { world } = this.sample;
    const counters = plumberCounters(this.#metrics);
    const tally = tallyOf(counters);
    tally.readAge(repositoryText(world.settings.repository), world.truth);
    const line = (fields: object) => void this.lines.push(fields);
    const log: Logger = { debug: line, info: line, warn: line, error: line, child: () => log };
    this.#ports = {
      world,
      tally,
      log,
      client: this.#client,
      tell: (_, { reason }) => void this.events.push(reason),
      mayUse: async () => true,
      isOperator: () => false,
    };
    this.sample.namespace("media");
    this.sample.namespace("photos");
  }

  /** As the API server asks: first the one webhook, then the other. */
  async admit(claim: Claim): Promise<Admitted> {
    const { signal } = new AbortController();
    const request = (object: Claim): AdmissionRequest<Claim> => ({
      uid: "1",
      operation: "CREATE",
      resource: { group: "", version: "v1", resource: "persistentvolumeclaims" },
      subResource: "",
      name: object.metadata.name,
      namespace: object.metadata.namespace ?? "",
      object,
      oldObject: undefined,
      user: { username: "someone", uid: "", groups: [] },
      dryRun: false,
    });
    const mutation = await completed(this.#ports, request(claim), signal);
    if (!mutation.allowed) return { allowed: false, message: mutation.message, warnings: [] };
    const object = mutation.object ?? claim;
    const verdict = await validated(this.#ports, request(object));
    return {
      allowed: verdict.allowed,
      source: object.spec?.dataSourceRef?.name,
      message: verdict.allowed ? undefined : verdict.message,
      warnings: verdict.warnings ?? [],
    };
  }

  /** One look of the reconciler at a stored PVC. */
  async reconcile(claim: Claim): Promise<void> {
    const { world, clock } = this.sample;
    const { tally, log } = this.#ports;
    const events = { event: (_: unknown, { reason }: EventNote) => void this.events.push(reason) };
    const room = { clock, log, events, client: this.#client } as unknown as Parameters<
      typeof protect
    >[0]["room"];
    await protect({ room, world, tally }, claim, new AbortController().signal);
  }

  /** The lines of the metrics that begin so. */
  async metrics(...names: readonly string[]): Promise<readonly string[]> {
    const text = await this.#metrics.text();
    return text.split("\n").filter((line) => names.some((name) => line.startsWith(`pvc_plumber_${name}`)));
  }

  get #client(): Pick<Writer, "create" | "patch" | "delete"> & Pick<Reader, "list"> {
    const write = async (verb: string, { kind }: { readonly kind: string }) => {
      if (this.refusal) throw this.refusal;
      this.written.push(`${verb} ${kind}`);
    };
    return {
      create: (async (resource: { readonly kind: string }, object: object) => {
        await write("create", resource);
        // What the webhooks have written down, the reconciler reads.
        if (resource.kind === "ConfigMap") this.sample.informers.put("configmaps", object);
        return object;
      }) as Writer["create"],
      list: (async () => ({ items: this.live })) as unknown as Reader["list"],
      patch: (async (
        resource: { readonly kind: string },
        name: object,
        { patch }: { readonly patch: object },
      ) => {
        if (resource.kind === "ConfigMap") return this.sample.informers.mergeData(name, patch);
        await write("patch", resource);
      }) as unknown as Writer["patch"],
      delete: async (resource) => {
        await write("delete", resource);
        return true;
      },
    };
  }
}
