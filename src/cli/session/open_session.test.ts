import { expect, test } from "vitest";
import { sampleSession } from "../../core/work/session/testing/sample_session.ts";
import { failureOfClass, sampleResult } from "../../core/work/testing/samples.ts";
import { ConfigMaps, Jobs } from "../../kube/builtin.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { Call } from "../frame/command.ts";
import { openSession } from "./open_session.ts";

/** A session whose pod ends at once with these words. */
async function opened(message: string) {
  const done: string[] = [];
  const ports = new Set<unknown>();
  const said = (verb: string, { kind }: { readonly kind: string }) => done.push(`${verb} ${kind}`);
  const client = {
    get: async () => ({}),
    list: async () => ({ items: [{ metadata: { name: "pod" }, status: { phase: "Failed" } }] }),
    create: async (resource: typeof Jobs, draft: { readonly data?: Readonly<Record<string, string>> }) => {
      said("create", resource);
      const [work] = resource.kind === ConfigMaps.kind ? Object.values(draft.data ?? {}) : [];
      if (work) ports.add(/"port":(\d+)/.exec(work)?.[1]);
      return draft;
    },
    patch: async (resource: typeof Jobs, name: object) => {
      said("patch", resource);
      return { metadata: name };
    },
    delete: async (resource: typeof Jobs) => void said("delete", resource),
  };
  const failure = { ...failureOfClass("EngineFailed"), message };
  const pods = {
    async *logs() {
      yield Buffer.from(`${JSON.stringify({ result: { ...sampleResult(), failure } })}\n`);
    },
  };
  const call = {
    clock: new VirtualClock(),
    random: seededRandom(1),
    signal: new AbortController().signal,
    progress: { show: () => {}, clear: () => {} },
    cluster: async () => ({ client, pods }),
  } as unknown as Call;
  const error: unknown = await openSession(call, sampleSession("a")).catch((reason) => reason);
  return { error, ports, jobs: done.filter((line) => line.endsWith(Jobs.kind)) };
}

const ONE_START = ["create Job", "patch Job", "delete Job"];

test("a session whose port is taken is tried on others, and then given up", async () => {
  const { error, ports, jobs } = await opened("the session cannot listen: listen EADDRINUSE: address in use");
  expect(jobs).toEqual([...ONE_START, ...ONE_START, ...ONE_START]);
  expect(ports.size).toBe(3);
  expect(error).toMatchObject({ why: expect.stringContaining("EADDRINUSE") });
});

test("a session that fails for another reason is not tried again", async () => {
  const { error, jobs } = await opened("the password does not open the repository");
  expect(jobs).toEqual(ONE_START);
  expect(error).toMatchObject({ message: "the repository cannot be opened" });
});
