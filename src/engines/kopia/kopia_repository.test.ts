import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemRandom } from "../../lib/random.ts";
import type { ProcessEnd } from "../../lib/streamed_process.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { FidelityProgram } from "../fidelity/fidelity_program.ts";
import { all, failureOf, snapshotOf } from "../testing/ground.ts";
import { KopiaConnection } from "./connection.ts";
import { settlePolicies } from "./identity_policies.ts";
import { KnownPolicies } from "./known_policies.ts";
import { KopiaRepository } from "./kopia_repository.ts";
import { type Manifest, parseManifest } from "./manifest.ts";

const SOURCE = { userName: "u", host: "h", path: "/p" };
const MADE = parseManifest({ id: "1", source: SOURCE, rootEntry: { type: "d", obj: "k1" } }) as Manifest;

/** A repository at Google whose kopia never answers, and only ends when it is told to. */
function silent(policies: KnownPolicies) {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const start = async (_: string, args: readonly string[]) => {
    asked.push(args.slice(0, 2).join(" "));
    const { promise: ended, resolve } = Promise.withResolvers<ProcessEnd>();
    const output = async function* () {
      await ended;
      yield Buffer.of();
    };
    return {
      ...{ stdout: output(), stderr: output(), ended },
      kill: () => resolve({ code: null, signal: "SIGTERM" }),
    };
  };
  const folder = join(tmpdir(), "kopia-silent");
  const programs = { program: "kopia", fidelityProgram: "fidelity", folder, processes: { start } };
  const location = { backend: { gcs: { bucket: "b" } }, credentials: {}, password: "p" };
  const connection = new KopiaConnection({ ...programs, clock, random: systemRandom }, location, {});
  const repository = new KopiaRepository({
    ...{ created: false, connection, readOnly: false },
    // Nothing here looks at files.
    fidelity: {} as FidelityProgram,
    look: Promise.resolve({ id: "id", policies, manifests: [MADE] }),
  });
  return { clock, asked, repository };
}

const known = () => new KnownPolicies({}, 0);

test.each<[string, KnownPolicies, (repository: KopiaRepository) => Promise<unknown>]>([
  ["policy export", KnownPolicies.unread(), (one) => settlePolicies(one, snapshotOf("/s"))],
  ["policy import", known(), (one) => settlePolicies(one, snapshotOf("/s", { fidelity: "Full" }))],
  ["snapshot delete", known(), (one) => one.delete(["1"])],
  ["show k1", known(), (one) => one.entry(MADE, "a", { what: "looking" })],
])("kopia %s does not wait for ever for a storage that never answers", async (command, policies, work) => {
  const { clock, asked, repository } = silent(policies);
  const failing = failureOf(work(repository));
  while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toEqual([command]);
  await clock.advance(60_000);
  expect(await failing).toMatchObject({ class: "Unreachable" });
});

test("what is read while it runs is ended once nothing of it has come for too long", async () => {
  const { clock, asked, repository } = silent(known());
  const failing = failureOf(all(repository.stream(["show", "k2"], { what: "reading", mustMove: true })));
  while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(900_000);
  expect(await failing).toMatchObject({ class: "Unreachable" });
});
