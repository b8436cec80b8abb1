import { BlockList, isIPv4, isIPv6 } from "node:net";

function localAddresses(): BlockList {
  const list = new BlockList();
  for (const [network, bits] of [
    ["0.0.0.0", 8],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
  ] as const) {
    list.addSubnet(network, bits, "ipv4");
    // The same written as an IPv6 address, in the ways that reach it: mapped, compatible, and translated.
    for (const prefix of ["::ffff:", "::", "64:ff9b::"])
      list.addSubnet(`${prefix}${network}`, 96 + bits, "ipv6");
  }
  list.addAddress("::", "ipv6");
  list.addAddress("::1", "ipv6");
  list.addSubnet("fe80::", 10, "ipv6");
  // Where a cloud's metadata is, beside its link-local address.
  list.addAddress("fd00:ec2::254", "ipv6");
  return list;
}

let known: BlockList | undefined;

/** Whether an IP address leads to this machine itself, or no further than its link: also what is no address at all. */
export function isLocalAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  // Made when it is first asked for: to read addresses of IPv6 takes long.
  known ??= localAddresses();
  if (isIPv4(plain)) return known.check(plain, "ipv4");
  return isIPv6(plain) ? known.check(plain, "ipv6") : true;
}
