import type { Listed } from "../../core/view/api_view.ts";
import { EXEMPT } from "../../core/view/joined.ts";
import type { ProtectPlan } from "../../core/view/protect.ts";
import { refOf } from "../../core/view/shown_object.ts";
import { isForbidden, isNotServed } from "../../kube/api_error.ts";
import { Namespaces, PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { KubeObject, ObjectName, Partially } from "../../kube/object.ts";
import { type Resource, typeOf } from "../../kube/resource.ts";
import type { Call } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem, misuse } from "../frame/problem.ts";
import { listed } from "../frame/scope.ts";
import type { Protect, ProtectChoice, Protected } from "./contract.ts";
import { mayDo } from "./may_list.ts";
import { whyNot } from "./rights_shown.ts";

/** Whose fields these are, afterwards. */
export const FIELD_MANAGER = "holdfast-console";
const EXEMPTION = "exempt";
const LONGEST_REASON = 200;

type Chosen = Readonly<Record<string, string>>;

/** The ways to protect a volume, of the APIs that the cluster serves and the person may look at. */
export async function protectChoices(call: Call, where: ObjectName): Promise<readonly ProtectChoice[]> {
  const plans = await plansFor(call, where, {});
  return await Promise.all(
    plans.map(async ({ api, plan: { title, says, missing, options, writes } }) => {
      const denied = await deniedOf(call, writes);
      return {
        api,
        title,
        says,
        ...(missing ? { missing } : {}),
        ...(denied ? { denied } : {}),
        options,
      };
    }),
  );
}

/** What is there before any volume is protected. */
const THERE: readonly Resource[] = [PersistentVolumeClaims, Namespaces];

/** Which right the person lacks for what is written; undefined where they have all. */
async function deniedOf(call: Call, writes: ProtectPlan["writes"]): Promise<string | undefined> {
  const { client } = await call.cluster();
  const needed = writes.flatMap(({ resource, object }) => {
    const { group, plural, namespaced } = resource;
    // RBAC counts a Namespace as its own.
    const namespace = namespaced ? object.metadata.namespace : object.metadata.name;
    const verbs = THERE.includes(resource) ? ["patch"] : ["create", "patch"];
    return verbs.map((verb) => ({ right: { verb, group, resource: plural }, namespace }));
  });
  const answers = await Promise.all(
    needed.map(async (one) => ({ ...one, may: await mayDo(client, one.right, one.namespace, call) })),
  );
  const missing = answers.find(({ may }) => !may);
  return missing && whyNot(missing.right, missing.namespace);
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
    yaml: await yamlOfWrites(plan),
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

/** What is applied, and nothing that the server adds: with that, nobody could apply it again. */
async function yamlOfWrites({ writes }: ProtectPlan): Promise<string> {
  const { stringify } = await import("yaml");
  return writes.map(({ resource, object }) => stringify({ ...typeOf(resource), ...object })).join("---\n");
}
