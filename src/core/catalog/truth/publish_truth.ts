import { ConfigMaps } from "../../../kube/builtin.ts";
import type { CallOptions, Writer } from "../../../kube/client.ts";
import { headText, type TruthHead } from "./truth_head.ts";
import { shardMark } from "./truth_shards.ts";
import { shardName, type TruthPlace } from "./truth_store.ts";

/** Where a list is published, and as whose. */
export interface TruthWriting extends TruthPlace {
  readonly fieldManager: string;
}

export interface PublishedList {
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
  place: TruthWriting,
  { head, took, texts, present }: PublishedList,
  call: CallOptions,
): Promise<void> {
  const { namespace, label, fieldManager } = place;
  const options = { ...call, fieldManager, force: true };
  for (const [shard, entries] of texts.entries()) {
    if ((present(shard) ?? "") === entries) continue;
    const metadata = { namespace, name: shardName(place, shard), labels: { [label]: String(shard) } };
    await client.apply(ConfigMaps, { metadata, data: { entries, readAt: head.readAt ?? "" } }, options);
  }
  await publishHead(client, place, { ...head, took: took(), shards: texts.map(shardMark) }, call);
}

export async function publishHead(
  client: Pick<Writer, "apply">,
  { namespace, name, label, fieldManager }: TruthWriting,
  head: TruthHead,
  call: CallOptions,
): Promise<void> {
  const metadata = { namespace, name, labels: { [label]: "head" } };
  const options = { ...call, fieldManager, force: true };
  await client.apply(ConfigMaps, { metadata, data: { head: headText(head) } }, options);
}
