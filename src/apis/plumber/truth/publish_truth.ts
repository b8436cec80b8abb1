import { TRUTH } from "../../../kinds/plumber/words.ts";
import { ConfigMaps } from "../../../kube/builtin.ts";
import type { CallOptions, Writer } from "../../../kube/client.ts";
import { FIELD_MANAGER } from "../field_manager.ts";
import { headText, type TruthHead } from "./truth_head.ts";
import { shardMark } from "./truth_shards.ts";
import { shardName } from "./truth_store.ts";

export interface PublishedList {
  readonly namespace: string;
  readonly head: Omit<TruthHead, "shards" | "took">;
  /** Asked at the end: how long it has taken. */
  readonly took: () => number;
  readonly texts: readonly string[];
  /** The texts that are published, by shard. */
  readonly present: (shard: number) => string | undefined;
}

/** Writes the shards that changed, and then the head, which says what belongs together. */
export async function publishTruth(
  client: Pick<Writer, "apply">,
  { namespace, head, took, texts, present }: PublishedList,
  call: CallOptions,
): Promise<void> {
  const options = { ...call, fieldManager: FIELD_MANAGER, force: true };
  for (const [shard, entries] of texts.entries()) {
    if ((present(shard) ?? "") === entries) continue;
    const metadata = { namespace, name: shardName(shard), labels: { [TRUTH.label]: String(shard) } };
    await client.apply(ConfigMaps, { metadata, data: { entries, readAt: head.readAt ?? "" } }, options);
  }
  await publishHead(client, namespace, { ...head, took: took(), shards: texts.map(shardMark) }, call);
}

export async function publishHead(
  client: Pick<Writer, "apply">,
  namespace: string,
  head: TruthHead,
  call: CallOptions,
): Promise<void> {
  const metadata = { namespace, name: TRUTH.name, labels: { [TRUTH.label]: "head" } };
  const options = { ...call, fieldManager: FIELD_MANAGER, force: true };
  await client.apply(ConfigMaps, { metadata, data: { head: headText(head) } }, options);
}
