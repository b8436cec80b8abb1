import { GENERATED } from "../../kinds/plumber/words.ts";
import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { Patch } from "../../kube/client.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { adoptedObjects } from "../adopt/adopted_objects.ts";
import { adoptingPatch, undoingPatch } from "../adopt/adoption_patch.ts";
import { type AdoptionStep, adoptionPlan, type Naming } from "../adopt/adoption_plan.ts";
import { countText } from "../count_text.ts";
import type { Call } from "../frame/command.ts";
import { confirmed } from "../frame/confirmed.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { printedValue } from "../frame/printed.ts";
import { CommandProblem } from "../frame/problem.ts";
import { listed } from "../frame/scope.ts";

/** Says what would be adopted, and what is in the way of the rest. */
export async function adoptPlan(call: Call): Promise<ExitCode> {
  const steps = await planned(call);
  if (await printedValue(call, { steps: steps.map(summarized) })) return EXIT.done;
  for (const line of planLines(steps)) call.out(line);
  return EXIT.done;
}

/** Hands the objects of labelled PVCs over to the operator, after they were shown. */
export async function adoptApply(call: Call): Promise<ExitCode> {
  const steps = await planned(call);
  for (const line of planLines(steps)) call.progress.line(line);
  const adopted = steps.filter(({ verdict }) => verdict === "adopt");
  if (adopted.length === 0) {
    if (steps.every(({ verdict }) => verdict === "managed")) return EXIT.done;
    throw new CommandProblem("nothing can be adopted as things stand", {
      fix: "The lines above say what is in the way of each object.",
      code: EXIT.usage,
    });
  }
  await confirmed(call, "Add --yes when this is meant.");
  const { client } = await call.cluster();
  for (const { resource, object, pvc } of adopted) {
    const patch = { type: "merge", patch: adoptingPatch(object, pvc) } as Patch<KubeObject>;
    await client.patch(resource, object.metadata, patch, {
      signal: call.signal,
      fieldManager: "holdfast-cli",
    });
    call.out(`${textOf(resource, object)} is the operator's own now`);
  }
  return EXIT.done;
}

/** Gives objects back that were adopted, as they were. */
export async function adoptUndo(call: Call): Promise<ExitCode> {
  const objects = await adoptedObjects(call);
  const name = call.given.words[0];
  const undone = [...objects].flatMap(([resource, all]) =>
    all
      .filter(({ metadata }) => name === undefined || metadata.annotations?.[GENERATED.sourcePvc] === name)
      .flatMap((object) => {
        const patch = undoingPatch(object);
        return patch ? [{ resource, object, patch }] : [];
      }),
  );
  if (undone.length === 0) {
    throw new CommandProblem("nothing here was adopted", {
      why: `No object has the annotation ${GENERATED.adoptedFrom}.`,
      code: EXIT.notFound,
    });
  }
  for (const { resource, object } of undone)
    call.progress.line(`${textOf(resource, object)} becomes what it was before it was adopted.`);
  call.progress.line("The operator leaves these objects alone afterwards. They run on by themselves.");
  await confirmed(call, "Add --yes when this is meant.");
  const { client } = await call.cluster();
  for (const { resource, object, patch } of undone) {
    const merge = { type: "merge", patch } as Patch<KubeObject>;
    await client.patch(resource, object.metadata, merge, {
      signal: call.signal,
      fieldManager: "holdfast-cli",
    });
    call.out(`${textOf(resource, object)} is not the operator's own any more`);
  }
  return EXIT.done;
}

async function planned(call: Call): Promise<readonly AdoptionStep[]> {
  const name = call.given.words[0];
  const claims = (await listed(call, PersistentVolumeClaims)).filter(
    ({ metadata }) => name === undefined || metadata.name === name,
  );
  if (name !== undefined && claims.length === 0) {
    throw new CommandProblem(`there is no PVC ${name} here`, { code: EXIT.notFound });
  }
  return adoptionPlan({
    claims,
    objects: await adoptedObjects(call),
    naming: (call.given.text("naming") ?? "bare-dst") as Naming,
    ownerGone: call.given.flag("owner-gone"),
    volsync: call.given.flag("volsync"),
  });
}

/** The plan in sentences: what can be adopted first. */
export function planLines(steps: readonly AdoptionStep[]): readonly string[] {
  if (steps.length === 0) return ["No object of a PVC is here to adopt."];
  const adopted = steps.filter(({ verdict }) => verdict === "adopt");
  const managed = steps.filter(({ verdict }) => verdict === "managed");
  return [
    `${countText(adopted.length, "object")} to adopt, ${managed.length} the operator's own already.`,
    ...adopted.map(({ resource, object, pvc }) => `✓ ${textOf(resource, object)} for PVC ${pvc}`),
    ...steps.flatMap((step) =>
      step.verdict === "blocked"
        ? [`✗ ${textOf(step.resource, step.object)}: ${step.why}`, `  ${step.fix}`]
        : [],
    ),
  ];
}

function summarized(step: AdoptionStep): object {
  const { resource, object, pvc, verdict } = step;
  const { namespace, name } = object.metadata;
  const blocked = step.verdict === "blocked" ? { why: step.why, fix: step.fix } : {};
  return { kind: resource.kind, namespace, name, pvc, verdict, ...blocked };
}

const textOf = ({ kind }: Resource, { metadata }: KubeObject) => `${kind} ${keyOf(metadata)}`;
