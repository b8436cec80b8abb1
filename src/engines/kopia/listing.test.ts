import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { failureOf } from "../testing/ground.ts";
import { printingProcesses } from "../testing/printing_processes.ts";
import type { KopiaConnection } from "./connection.ts";
import { listManifests } from "./listing.ts";

const MANIFEST = JSON.stringify({ id: "1", source: { userName: "u", host: "h", path: "/p" } });

function listed(...parts: readonly string[]) {
  const program = {
    ...{ program: "kopia", args: [], env: {}, clock: new VirtualClock() },
    processes: printingProcesses(() => parts),
  };
  // What a listing needs of a connection.
  return listManifests({ program, patienceMs: 1000 } as unknown as KopiaConnection, { what: "listing" });
}

test("a list of snapshots is read past lines that are none of it", async () => {
  const found = await listed(
    "{what is this}\n",
    `[${MANIFEST},\n`,
    "a { notice\n",
    `${MANIFEST}]\n`,
    "{more\n",
  );
  expect(found.map(({ id }) => id)).toEqual(["1", "1"]);
});

test.each([
  ["cut off", `[${MANIFEST},\n${MANIFEST.slice(0, 20)}`],
  ["broken", `[{"id":oops},\n${MANIFEST}]\n`],
])("a list of snapshots with a line that is %s is none", async (_, text) => {
  expect(await failureOf(listed(text))).toMatchObject({ class: "EngineFailed" });
});
