import { describe, expect, test } from "vitest";
import { apiKinds } from "../cli/doctor/api_kinds.ts";
import { coverageGauge } from "../core/view/coverage_gauge.ts";
import { EXEMPT } from "../core/view/joined.ts";
import { Informers } from "../kube/cache/informers.ts";
import type { KubeObject } from "../kube/object.ts";
import { seededRandom } from "../lib/random.ts";
import { VirtualClock } from "../lib/virtual_clock.ts";
import { silentLogger as log } from "../observe/log.ts";
import { noWatchObserver } from "../observe/observers.ts";
import { APIS } from "./apis.ts";
import { VIEWS } from "./views.ts";

test("the command line shows the objects of every API, as the operator counts them", () => {
  expect(VIEWS).toEqual(APIS.map(({ view }) => view));
  expect(VIEWS.map(({ api }) => api)).toEqual(APIS.map(({ name }) => name));
  for (const { view, kinds } of APIS)
    expect(new Set(view.kinds.map(({ resource }) => resource))).toEqual(
      new Set(kinds.map(({ resource }) => resource)),
    );
});

test("doctor looks at the CRDs of every API", async () => {
  const looked = (await apiKinds()).map(({ api, kinds }) => [api, kinds]);
  expect(looked).toEqual(
    APIS.filter(({ kinds }) => kinds.length > 0).map(({ name, kinds }) => [name, kinds]),
  );
});

const ports = {
  client: {} as never,
  clock: new VirtualClock(),
  random: seededRandom(1),
  log,
  observer: noWatchObserver,
};

test.each(APIS)("the caches of $name can be asked for twice, by its gauges and its controllers", (api) => {
  const informers = new Informers(ports).for(api.name);
  const names = () => api.gauges({ informers }).map(({ name }) => name);
  expect(names()).toEqual(names());
});

describe("the coverage that is counted at a scrape", () => {
  test.each([undefined, "home"])(
    "needs no cache that APIs do not have anyway, in namespace %s",
    (namespace) => {
      const informers = new Informers(ports);
      const scope = namespace === undefined ? {} : { namespace };
      const served = APIS.filter(({ wholeCluster }) => namespace === undefined || !wholeCluster);
      for (const api of served) api.gauges({ informers: informers.for(api.name), ...scope });
      const names = () => Array.from(informers.caches(), ([name, { optional }]) => ({ name, optional }));
      const before = names();
      const views = served.map(({ view }) => view);
      coverageGauge(views, informers, namespace);
      expect(names()).toEqual(before);
    },
  );

  test("has a number for every word", () => {
    const metadata = { name: "cache", uid: "u", resourceVersion: "1", creationTimestamp: "" };
    const claim: KubeObject = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { ...metadata, namespace: "home" },
    };
    const exempt = { ...metadata, namespace: "home", name: "b", annotations: { [EXEMPT]: "a cache" } };
    const objects = [claim, { ...claim, metadata: exempt }];
    const cache = ({ resource }: { readonly resource: { readonly kind: string } }) => ({
      values: () => objects.filter(({ kind }) => kind === resource.kind),
    });
    const { read } = coverageGauge(VIEWS, { cache: cache as never });
    expect(Array.from(read(), ({ labels, value }) => [labels?.coverage, value])).toEqual([
      ["protected", 0],
      ["by_hand", 0],
      ["exempt", 1],
      ["unprotected", 1],
    ]);
  });
});
