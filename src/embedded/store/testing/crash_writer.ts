// Writes to the state folder given as argument as fast as it can, until it is killed. Each line that it prints is a
// write that was acknowledged: name, revision, and the value or "-" for a deletion.
import { writeSync } from "node:fs";
import { systemClock } from "../../../lib/clock.ts";
import { openSqliteStore } from "../sqlite_store.ts";
import { valueOfRound } from "./round.ts";
import { sample, sampleKey } from "./sample.ts";

const store = openSqliteStore({ folder: process.argv[2] ?? "", clock: systemClock });

/** Creates, updates and deletes one object over and over. */
async function write(name: string): Promise<never> {
  const key = sampleKey(name);
  for (let round = 0; ; round++) {
    const current = store.get(key);
    const version = current?.metadata.resourceVersion;
    if (current && version && round % 5 === 4) {
      const { metadata } = await store.delete(key, current, version);
      writeSync(1, `${name} ${metadata.resourceVersion} -\n`);
    } else {
      const value = valueOfRound(round);
      const { metadata } = await store.put(key, sample(key, value), version);
      writeSync(1, `${name} ${metadata.resourceVersion} ${value}\n`);
    }
  }
}

await Promise.all(Array.from({ length: 8 }, (_, index) => write(`writer-${index}`)));
