import type { ApiView } from "../../core/view/api_view.ts";
import type { ShownObject } from "../../core/view/shown_object.ts";
import { type CoreEvent, Events } from "../../kube/builtin.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import { type ExplainFacts, explained } from "../explain/explained.ts";
import { surroundings } from "../explain/surroundings.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { referenceOf } from "../frame/kinds.ts";
import { namespaceOf } from "../frame/scope.ts";
import { viewed } from "../frame/viewed.ts";

/** Why an object is in its state, in sentences. */
export async function explain(call: Call): Promise<ExitCode> {
  const { given, signal, out } = call;
  const views = await call.views();
  const { resource, name } = referenceOf(given.word(0), {
    among: views.flatMap(({ kinds }) => kinds),
    usual: "backup",
  });
  const view = views.find(({ kinds }) => kinds.some((kind) => kind.resource === resource));
  if (!view) throw new Error(`no API shows ${resource.kind}`);
  const cluster = await call.cluster();
  const where = resource.namespaced ? { namespace: namespaceOf(call, cluster), name } : { name };
  const object = await cluster.client.get(resource, where, { signal });
  for (const line of explained(await explainFacts(call, view, object))) out(line);
  return EXIT.done;
}

/** What there is to say of an object of an API. */
export async function explainFacts(call: Call, view: ApiView, object: ShownObject): Promise<ExplainFacts> {
  const { clock, signal } = call;
  const cluster = await call.cluster();
  const [events, around] = await Promise.all([
    eventsOf(call, cluster, object),
    surroundings({ reader: cluster.client, view, signal }, object),
  ]);
  const { problems } = await viewed(call);
  const wrong = problems.filter(
    ({ object: one }) => one.kind === object.kind && keyOf(one) === keyOf(object),
  );
  return { object, view, events, around, wrong: wrong.map(({ why }) => why), now: clock.now() };
}

/** The events of an object, as far as the API server still has them. */
export async function eventsOf(
  { signal }: Pick<Call, "signal">,
  { client }: Pick<Cluster, "client">,
  { metadata }: KubeObject,
): Promise<readonly (KubeObject & CoreEvent)[]> {
  const { items } = await client.list(Events, {
    signal,
    namespace: metadata.namespace ?? "default",
    fieldSelector: `involvedObject.uid=${metadata.uid}`,
  });
  return items;
}
