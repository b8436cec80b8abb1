import { setTimeout as pause } from "node:timers/promises";
import { StatefulSets } from "../../../../src/kube/builtin.ts";
import {
  FOREIGN,
  ForeignDriver,
  foreignKindsServed,
  installForeignKinds,
  TAPES,
} from "../../../scenarios/foreign_driver.ts";
import { NAMESPACE } from "./cozystack_world.ts";
import { driverContract } from "./driver_contract.ts";

/* A driver that is a program of its own, in its own time, with its own rights, passes as ours do. */

driverContract({
  name: "of a third party, a program of its own",
  strategyRef: FOREIGN,
  prepare: async (world) => {
    await installForeignKinds(world.client);
    await foreignKindsServed(world.client);
    await world.create(TAPES, FOREIGN.name, {});
  },
  outside: async (world, how) => {
    const spec = { torn: how === "badly" ? ["backup", "restore"] : null };
    await world.patch(TAPES, await world.get(TAPES, FOREIGN.name), { spec });
    // Virtual time passes as quickly as it can, and the program lives in real time.
    await pause(50);
  },
  // It makes the application that is not there.
  restoresInto: async (world) =>
    (await world.all(StatefulSets)).flatMap(({ metadata }) =>
      metadata.name === "db" ? [] : [metadata.name],
    ),
  run: (world) => ForeignDriver.start(world, NAMESPACE),
});
