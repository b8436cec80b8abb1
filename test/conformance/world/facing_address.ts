import { BlockList } from "node:net";
import { networkInterfaces } from "node:os";

/** This machine's address on the network that the server at `url` is on; loopback when there is none. */
export function facingAddress(url: string): string {
  const { hostname } = new URL(url);
  for (const addresses of Object.values(networkInterfaces())) {
    for (const { family, address, cidr } of addresses ?? []) {
      if (family !== "IPv4" || cidr === null) continue;
      const network = new BlockList();
      network.addSubnet(address, Number(cidr.split("/")[1]));
      if (network.check(hostname)) return address;
    }
  }
  return "127.0.0.1";
}
