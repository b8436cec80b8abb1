import { describe, expect, test } from "vitest";
import { destinations, requireBridgeFilter } from "./network.ts";
import { NodeImpossible } from "./node_impossible.ts";

test("destinations() keeps ranges and single addresses, and leaves out default routes", () => {
  const routes = [
    { dst: "default", gateway: "192.0.2.1" },
    { dst: "192.0.2.0/24", dev: "eth0" },
    { type: "local", dst: "127.0.0.1" },
    { gateway: "192.0.2.1" },
  ];
  expect(destinations(routes)).toEqual(["192.0.2.0/24", "127.0.0.1"]);
});

describe("requireBridgeFilter()", () => {
  /** A kernel whose module is there or not, before and after it was asked for. */
  function kernel(before: boolean, after: boolean, failure?: Error) {
    let asked = 0;
    const filter = {
      isLoaded: () => (asked === 0 ? before : after),
      load: async () => {
        asked++;
        if (failure) throw failure;
      },
    };
    return { filter, asked: () => asked };
  }

  test("leaves a kernel alone that has the module", async () => {
    const { filter, asked } = kernel(true, true);
    await requireBridgeFilter(filter);
    expect(asked()).toBe(0);
  });

  test("loads the module where it is missing, and goes on", async () => {
    const { filter, asked } = kernel(false, true);
    await requireBridgeFilter(filter);
    expect(asked()).toBe(1);
  });

  test("says what is missing, and why, where it cannot be loaded", async () => {
    const { filter } = kernel(false, false, new Error("modprobe br_netfilter: spawn modprobe ENOENT"));
    await expect(requireBridgeFilter(filter)).rejects.toEqual(
      new NodeImpossible(
        "Services need the kernel's br_netfilter module, which cannot be loaded: modprobe br_netfilter: spawn modprobe ENOENT",
      ),
    );
    await expect(requireBridgeFilter(kernel(false, false).filter)).rejects.toThrow("not there afterwards");
  });
});
