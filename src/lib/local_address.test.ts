import { expect, test } from "vitest";
import { isLocalAddress } from "./local_address.ts";

test.each([
  "127.0.0.1",
  "127.255.3.4",
  "0.0.0.0",
  "0.1.2.3",
  "169.254.169.254",
  "::",
  "::1",
  "fe80::1",
  "fe80::1%eth0",
  "febf::9",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:169.254.1.1",
  "::127.0.0.1",
  "64:ff9b::169.254.169.254",
  "fd00:ec2::254",
  "not an address",
])("%s is local", (address) => {
  expect(isLocalAddress(address)).toBe(true);
});

test.each([
  "10.0.0.1",
  "192.168.1.2",
  "128.0.0.1",
  "169.253.1.1",
  "8.8.8.8",
  "2001:db8::1",
  "fec0::1",
  "::ffff:10.0.0.1",
])("%s is not", (address) => {
  expect(isLocalAddress(address)).toBe(false);
});
