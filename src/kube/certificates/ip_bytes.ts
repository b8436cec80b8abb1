const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
const IPV6_CHARACTERS = /^[0-9a-f:.]*:[0-9a-f:.]*$/i;

/** The 4 or 16 bytes of an IP address. Throws on anything else. */
export function ipBytes(address: string): Buffer {
  if (IPV4.test(address)) return Buffer.from(address.split(".").map(Number));
  if (!IPV6_CHARACTERS.test(address) || !URL.canParse(`http://[${address}]`)) {
    throw new TypeError(`${JSON.stringify(address)} is not an IP address`);
  }
  // A URL's host is the shortest form, in hexadecimal groups alone.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const left = groups(head);
  const right = groups(tail ?? "");
  const zeros = Array<number>(8 - left.length - right.length).fill(0);
  return Buffer.from([...left, ...zeros, ...right].flatMap((group) => [group >> 8, group & 0xff]));
}

function groups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
