import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemRandom } from "../../lib/random.ts";
import type { ProcessEnd, StreamedProcesses } from "../../lib/streamed_process.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { FidelityProgram } from "../fidelity/fidelity_program.ts";
import { all, failureOf, snapshotOf } from "../testing/ground.ts";
import { printingProcesses } from "../testing/printing_processes.ts";
import { KopiaConnection } from "./connection.ts";
import { settlePolicies } from "./identity_policies.ts";
import { KnownPolicies } from "./known_policies.ts";
import { KopiaRepository } from "./kopia_repository.ts";
import { type Manifest, parseManifest } from "./manifest.ts";

const SOURCE = { userName: "u", host: "h", path: "/p" };
const MADE = parseManifest({ id: "1", source: SOURCE, rootEntry: { type: "d", obj: "k1" } }) as Manifest;

/** A repository at Google whose kopia never answers, and only ends when it is told to. */
function silent(policies: KnownPolicies) {
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
  return { asked, ...repositoryOf({ start }, policies) };
}

/** The same whose kopia prints this, whatever it is asked. */
function printing(parts: () => Iterable<string>): KopiaRepository {
  return repositoryOf(printingProcesses(parts), known()).repository;
}

function repositoryOf(processes: StreamedProcesses, policies: KnownPolicies) {
  const clock = new VirtualClock();
  const folder = join(tmpdir(), "kopia-silent");
  const programs = { program: "kopia", fidelityProgram: "fidelity", folder, processes };
  const location = { backend: { gcs: { bucket: "b" } }, credentials: {}, password: "p" };
  const connection = new KopiaConnection({ ...programs, clock, random: systemRandom }, location, {});
  const repository = new KopiaRepository({
    ...{ created: false, connection, readOnly: false },
    // Nothing here looks at files.
    fidelity: {} as FidelityProgram,
    look: { id: "id", policies, manifests: [MADE] },
  });
  return { clock, repository };
}

const known = () => new KnownPolicies({}, 0);

test.each<[string, KnownPolicies, (repository: KopiaRepository) => Promise<unknown>]>([
  ["policy export", KnownPolicies.unread(), (one) => settlePolicies(one, snapshotOf("/s"))],
  ["policy import", known(), (one) => settlePolicies(one, snapshotOf("/s", { fidelity: "Full" }))],
  ["snapshot delete", known(), (one) => one.delete(["1"])],
  ["blob stats", known(), (one) => one.changePassword("new")],
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

test("a folder may hold more than fits into memory at once", async () => {
  const object = "x".repeat(2 ** 16);
  const count = (65 * 2 ** 20) / object.length;
  const repository = printing(function* () {
    yield '{"stream":"kopia:directory","entries":[';
    for (let i = 0; i < count; i++)
      yield `${i ? "," : ""}{"name":"${count - i}","type":"f","obj":"${object}"}`;
    yield '],"summary":{"files":1}}';
  });
  const names = (await all(repository.browse("1", ""))).map(({ name }) => name);
  expect(names.length).toBe(count);
  expect(names.slice(0, 3)).toEqual(["1", "10", "100"]);
});

test("lines that nobody knows among the snapshots are passed over", async () => {
  const line = (id: string) => JSON.stringify({ id, source: SOURCE, rootEntry: { type: "d", obj: "k1" } });
  const text = [
    "NOTICE: there is a new kopia",
    `[${line("1")},`,
    "{what is this}",
    ` ${line("2")}`,
    "]",
    "bye",
  ];
  const repository = printing(() => [text.join("\n")]);
  // The first listing is what opening it found.
  await repository.manifests({});
  expect((await repository.manifests({})).map(({ id }) => id)).toEqual(["1", "2"]);
});
