import { Events } from "../../kube/builtin.ts";
import { explained } from "../explain/explained.ts";
import { surroundings } from "../explain/surroundings.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { type NativeObject, referenceOf } from "../frame/kinds.ts";
import { namespaceOf } from "../frame/scope.ts";

/** Why an object is in its state, in sentences. */
export async function explain(call: Call): Promise<ExitCode> {
  const { given, signal, clock, out } = call;
  const { resource, name } = referenceOf(given.word(0));
  const cluster = await call.cluster();
  const where = resource.namespaced ? { namespace: namespaceOf(call, cluster), name } : { name };
  const object = await cluster.client.get(resource, where, { signal });
  const [events, around] = await Promise.all([
    eventsOf(call, cluster, object),
    surroundings(cluster.client, object, signal),
  ]);
  for (const line of explained({ object, events, around, now: clock.now() })) out(line);
  return EXIT.done;
}

async function eventsOf({ signal }: Call, { client }: Cluster, { metadata }: NativeObject) {
  const { items } = await client.list(Events, {
    signal,
    namespace: metadata.namespace ?? "default",
    fieldSelector: `involvedObject.uid=${metadata.uid}`,
  });
  return items;
}
