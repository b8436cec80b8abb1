import type { Listed } from "../../core/view/api_view.ts";
import { EXEMPT } from "../../core/view/joined.ts";
import type { ProtectPlan } from "../../core/view/protect.ts";
import { refOf } from "../../core/view/shown_object.ts";
import { isForbidden, isNotServed } from "../../kube/api_error.ts";
import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { KubeObject, ObjectName, Partially } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Call } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem, misuse } from "../frame/problem.ts";
import { listed } from "../frame/scope.ts";
import type { Protect, ProtectChoice, Protected } from "./contract.ts";
import { yamlOf } from "./object_detail.ts";

/** Whose fields these are, afterwards. */
export const FIELD_MANAGER = "holdfast-console";
const EXEMPTION = "exempt";
const LONGEST_REASON = 200;

type Chosen = Readonly<Record<string, string>>;

/** The ways to protect a volume, of the APIs that the cluster serves and the person may look at. */
export async function protectChoices(call: Call, where: ObjectName): Promise<readonly ProtectChoice[]> {
  const plans = await plansFor(call, where, {});
  return plans.map(({ api, plan: { title, says, missing, options } }) => ({
    api,
    title,
    says,
    ...(missing ? { missing } : {}),
    options,
  }));
}

/** Writes what one of them says, or only shows what that would be. */
export async function protect(call: Call, asked: Protect): Promise<Protected> {
  const { namespace, name, api, options, dryRun } = asked;
  const plans = await plansFor(call, { namespace, name }, options);
  const plan = plans.find((one) => one.api === api)?.plan;
  if (!plan) throw misuse(`${api} cannot protect ${namespace}/${name} from here`, "It may do so already.");
  if (plan.missing)
    throw new CommandProblem(`${name} cannot be protected yet`, { why: plan.missing, code: EXIT.usage });
  const { client } = await call.cluster();
  // All of them are tried before the first is written.
  const tried = await inTurn(plan, (resource, object) =>
    client.apply(resource, object, { fieldManager: FIELD_MANAGER, dryRun: true, signal: call.signal }),
  );
  const written = dryRun
    ? tried
    : await inTurn(plan, (resource, object) =>
        client.apply(resource, object, { fieldManager: FIELD_MANAGER, signal: call.signal }),
      );
  return {
    yaml: (await Promise.all(written.map(withoutStatus).map(yamlOf))).join("---\n"),
    line: `kubectl apply --server-side --field-manager=${FIELD_MANAGER} -f -`,
    objects: written.map(refOf),
  };
}

async function inTurn(
  { writes }: ProtectPlan,
  apply: (resource: Resource, object: Applied) => Promise<KubeObject>,
): Promise<readonly KubeObject[]> {
  const done: KubeObject[] = [];
  for (const { resource, object } of writes) done.push(await apply(resource, object as Applied));
  return done;
}

type Applied = Partially<KubeObject> & {
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

async function plansFor(
  call: Call,
  where: ObjectName,
  chosen: Chosen,
): Promise<readonly { readonly api: string; readonly plan: ProtectPlan }[]> {
  const { client } = await call.cluster();
  const claim = await client.get(PersistentVolumeClaims, where, call);
  const plans = (await call.views()).map(async ({ api, kinds, protect: planOf }) => {
    if (!planOf) return [];
    const objects = await Promise.all(
      kinds.map(async ({ resource }) => [resource, await listedOrNone(call, resource)] as const),
    );
    // An API that the cluster does not have, or that the person may not look at, is no choice.
    if (objects.length > 0 && objects.every(([, items]) => items === undefined)) return [];
    const lists = new Map(objects);
    const of = ((resource: Resource) => lists.get(resource) ?? []) as Listed["of"];
    const plan = planOf({ of, claims: [claim], claim, chosen });
    return plan ? [{ api, plan }] : [];
  });
  return [...(await Promise.all(plans)).flat(), { api: EXEMPTION, plan: exemption(claim, chosen) }];
}

async function listedOrNone(call: Call, resource: Resource): Promise<readonly KubeObject[] | undefined> {
  try {
    return await listed(call, resource);
  } catch (error) {
    if (isForbidden(error) || isNotServed(error)) return undefined;
    throw error;
  }
}

/** An annotation that says why it needs no backup. */
function exemption({ metadata: { namespace = "", name } }: KubeObject, chosen: Chosen): ProtectPlan {
  const reason = (chosen.reason ?? "").trim().slice(0, LONGEST_REASON);
  return {
    title: "It needs no backup",
    says: [
      "An annotation on the PVC says why, and it no longer counts as unprotected.",
      "Its data is gone with it.",
    ],
    ...(chosen.reason !== undefined && reason === "" ? { missing: "say why it needs none" } : {}),
    options: [{ name: "reason", title: "Why", value: reason }],
    writes: [
      {
        resource: PersistentVolumeClaims,
        object: { metadata: { namespace, name, annotations: { [EXEMPT]: reason } } },
      },
    ],
  };
}

function withoutStatus({ status: _, ...object }: KubeObject & { readonly status?: unknown }): KubeObject {
  return object;
}
