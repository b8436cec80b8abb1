// Fills the disk that the folder given as argument is on, which must be a small one of its own, and prints as JSON
// what a store there did before, meanwhile and after.
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../lib/clock.ts";
import { openSqliteStore } from "../sqlite_store.ts";
import { sample, sampleKey } from "./sample.ts";

const disk = process.argv[2] ?? "";
const folder = join(disk, "state");
const filler = join(disk, "filler");
let store = openSqliteStore({ folder, clock: systemClock });

const create = (name: string) => {
  const key = sampleKey(name);
  return store.put(key, sample(key, "x".repeat(20_000)), undefined);
};
const names = () => store.list("configmaps").objects.map((object) => object.metadata.name);

await create("before");
const { bavail, bsize } = statfsSync(disk);
writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - 100_000)));
const errors: string[] = [];
let acknowledged = 0;
for (let index = 0; index < 40; index++) {
  const outcomes = await Promise.allSettled([create(`full-${index}`), create(`also-full-${index}`)]);
  for (const outcome of outcomes) {
    if (outcome.status === "fulfilled") acknowledged++;
    else errors.push(String(outcome.reason));
  }
}
const meanwhile = names();
store.close();
rmSync(filler);
store = openSqliteStore({ folder, clock: systemClock });
const reopened = names();
await create("after");
console.log(JSON.stringify({ acknowledged, errors, meanwhile, reopened, after: names() }));
store.close();
