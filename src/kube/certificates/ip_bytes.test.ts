import { describe, expect, test } from "vitest";
import { ipBytes } from "./ip_bytes.ts";

describe("ipBytes()", () => {
  test.each([
    ["127.0.0.1", "7f000001"],
    ["255.10.0.99", "ff0a0063"],
    ["::", "00000000000000000000000000000000"],
    ["::1", "00000000000000000000000000000001"],
    ["fd00::", "fd000000000000000000000000000000"],
    ["fd00:1::A:b", "fd000001000000000000000000" + "0a000b"],
    ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
    ["::ffff:10.0.0.1", "00000000000000000000ffff0a000001"],
  ])("reads %s", (address, hex) => {
    expect(ipBytes(address).toString("hex")).toBe(hex);
  });

  test.each(["", "localhost", "1.2.3", "1.2.3.4.5", "256.0.0.1", ":::", "1:2", "::1]/x[", "1.2.3.4."])(
    "refuses %j",
    (address) => {
      expect(() => ipBytes(address)).toThrow("is not an IP address");
    },
  );
});
