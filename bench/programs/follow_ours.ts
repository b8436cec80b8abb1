import { Pods } from "../../src/kube/builtin.ts";
import { Informers } from "../../src/kube/cache/informers.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { connect } from "../../src/kube/config/connect.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { systemProcesses as processes } from "../../src/lib/processes.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { silentLogger as log } from "../../src/observe/log.ts";
import { noWatchObserver as observer } from "../../src/observe/observers.ts";
import { Tally, task } from "./follow.ts";

const { kubeconfig, namespace, objects, keep } = task();
const tally = new Tally(objects);
const { sender } = await connect({ clock, processes, env: process.env, kubeconfig });
const informers = new Informers({
  client: new HttpClient({ sender, clock, random }),
  clock,
  random,
  log,
  observer,
});
const scope = { resource: Pods, namespace, labelSelector: "bench=yes", ...(keep && { keep }) };
informers.cache(scope).onChange((change) => {
  if (change.type === "added") tally.added();
  else if (change.type === "updated") tally.updated();
});
await informers.run(new AbortController().signal);
