import { EngineError } from "../../wire/engine_error.ts";
import { identityText } from "../../wire/identity.ts";
import type { SnapshotOptions } from "../engine.ts";
import { MOST_RULES, type Survey } from "../fidelity/survey.ts";
import { companionOf, isCompanion } from "./companion.ts";
import { type Policies, parsePolicies, SAYS_NOTHING, unsettledPolicies } from "./known_policies.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { dataPolicy, USUAL_POLICY } from "./policy.ts";

/**
 * Sees to it that the policies of an identity are ours before a snapshot of it begins, and says whether the snapshot
 * has a companion. Left to the driver, it has one unless somebody else writes to the repository, too: that is looked
 * for until the identity has its first companion.
 */
export async function settlePolicies(
  repository: KopiaRepository,
  options: SnapshotOptions,
): Promise<boolean> {
  const { identity, fidelity, signal } = options;
  const held = await heldPolicies(repository, signal);
  const companion = identityText(companionOf(identity));
  const known = fidelity !== undefined || held[companion] !== undefined || repository.created;
  const full = known ? fidelity !== "Engine" : !(await hasForeignWriter(repository, signal));
  const unsettled = unsettledPolicies(held, {
    [identityText(identity)]: dataPolicy(options),
    ...(full ? { [companion]: USUAL_POLICY } : {}),
  });
  await setPolicies(repository, unsettled, signal);
  // kopia puts it there with the first companion.
  if (full) repository.policies.add({ [companion]: SAYS_NOTHING, ...held, ...unsettled });
  return full;
}

/** Refuses a source with too much that would have to be hidden. */
export function checkRules({ rules, reserved }: Pick<Survey, "rules" | "reserved">): void {
  if (rules.length <= MOST_RULES) return;
  const why = `more than ${MOST_RULES} names end with .kopia-entry, such as ${reserved.examples[0]}, which kopia takes for placeholders of its own`;
  throw new EngineError("Unsupported", `taking a snapshot: ${why}`, {
    remedy: "Leave out the folders that hold them, with policy.ignore.paths, or use a repository of restic.",
  });
}

/** Keeps kopia from seeing what its own meaning of names would make something else of: the policy is for this run. */
export async function hideReserved(
  repository: KopiaRepository,
  options: SnapshotOptions,
  { rules }: Pick<Survey, "rules">,
): Promise<void> {
  if (rules.length === 0) return;
  const { identity, ignore = {}, signal } = options;
  const paths = [...(ignore.paths ?? []), ...rules];
  const policy = dataPolicy({ ...options, ignore: { ...ignore, paths } });
  await setPolicies(repository, { [identityText(identity)]: policy }, signal);
}

async function heldPolicies(repository: KopiaRepository, signal: AbortSignal | undefined): Promise<Policies> {
  const { policies } = repository;
  const { program, patienceMs } = repository.connection;
  const { clock } = program;
  const known = policies.at(clock.monotonic());
  if (known) return known;
  const what = "reading policies";
  const { stdout } = await repository.run(["policy", "export"], { what, signal, patienceMs });
  const held = parsePolicies(what, stdout);
  policies.replace(held, clock.monotonic());
  return held;
}

async function setPolicies(
  repository: KopiaRepository,
  missing: Policies,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (Object.keys(missing).length === 0) return;
  const input = async function* () {
    yield Buffer.from(JSON.stringify(missing));
  };
  const { patienceMs } = repository.connection;
  const what = "setting policies";
  await repository.run(["policy", "import"], { what, signal, patienceMs, stdin: input() });
  repository.policies.add(missing);
}

/** Whatever we write has a run. */
async function hasForeignWriter(
  repository: KopiaRepository,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const manifests = await repository.manifests({ signal });
  return manifests.some(({ identity, run }) => run === undefined && !isCompanion(identity));
}
