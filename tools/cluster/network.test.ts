import { expect, test } from "vitest";
import { destinations } from "./network.ts";

test("destinations() keeps ranges and single addresses, and leaves out default routes", () => {
  const routes = [
    { dst: "default", gateway: "192.0.2.1" },
    { dst: "192.0.2.0/24", dev: "eth0" },
    { type: "local", dst: "127.0.0.1" },
    { gateway: "192.0.2.1" },
  ];
  expect(destinations(routes)).toEqual(["192.0.2.0/24", "127.0.0.1"]);
});
