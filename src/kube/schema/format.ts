const UUID = "[0-9a-f]{8}-?[0-9a-f]{4}-?";

function matches(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}

/** Checks of string formats, under the API server's names for them, dashes left out. */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  cidr: isCidr,
  date: isDate,
  datetime: isDateTime,
  duration: isDuration,
  hostname: isHostname,
  ipv4: (text) => text.includes(".") && isIp(text),
  ipv6: (text) => text.includes(":") && isIp(text),
  password: () => true,
  uuid: matches(new RegExp(`^${UUID}[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, "i")),
  uuid3: matches(new RegExp(`^${UUID}3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, "i")),
  uuid4: matches(new RegExp(`^${UUID}4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`, "i")),
  uuid5: matches(new RegExp(`^${UUID}5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`, "i")),
};

/**
 * Formats that some API server checks and this interpreter does not; a kind of ours may not use them. (The
 * names of Kubernetes are known to 1.34, which does not check them yet.)
 */
const UNCHECKED: ReadonlySet<string> = new Set(
  "bsonobjectid uri email mac isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor k8sshortname k8slongname".split(
    " ",
  ),
);

/** The check for a format; undefined for one that says nothing to the API server, such as int32. */
export function formatCheck(format: string | undefined): ((text: string) => boolean) | undefined {
  return format === undefined ? undefined : FORMATS[format.replaceAll("-", "")];
}

/** True for a format that the API server checks but `formatCheck` cannot. */
export function isUncheckedFormat(format: string): boolean {
  return UNCHECKED.has(format.replaceAll("-", ""));
}

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!parts) return false;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split("t");
  if (date === undefined || time === undefined || !isDate(date)) return false;
  const parts = /^(\d\d):(\d\d):(\d\d)(.\d+)?(z|[+-]\d\d:\d\d)$/.exec(time);
  if (!parts) return false;
  const [, hour = "", minute = "", second = ""] = parts;
  return hour <= "23" && minute <= "59" && second <= "59";
}

/** Go's durations (`1h30m`), and words: the API server takes `2 days`, and any text with such a part in it. */
function isDuration(text: string): boolean {
  if (/^[+-]?(0|((\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/.test(text)) return true;
  for (const [, unit = ""] of text.matchAll(/\d+\s*([A-Za-zµ]+)/g)) {
    const word = unit.toLowerCase();
    if (/^(ns|us|µs|ms|s|m|h|hr|d|w|wk)$/.test(word)) return true;
    if (/^(nano|micro|milli|sec|min|hour|day|week)/.test(word)) return true;
  }
  return false;
}

function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255 || text.split(".").some((label) => Buffer.byteLength(label) > 63))
    return false;
  const letter = "[a-zA-Z0-9\\p{S}\\p{L}]";
  const single = `${letter}(?:-?${letter}{0,62})?`;
  const label = `${letter}(?:[a-zA-Z0-9\\p{S}\\p{L}-]{0,61}${letter})?`;
  return new RegExp(`^(?:${single}|(?:${label}\\.)+[a-zA-Z\\p{L}]{2,63})$`, "u").test(text);
}

function isCidr(text: string): boolean {
  const [ip = "", size = "", ...rest] = text.split("/");
  if (rest.length > 0 || !/^\d{1,3}$/.test(size) || !isIp(ip)) return false;
  return Number(size) <= (ip.includes(":") ? 128 : 32);
}

function isIp(text: string): boolean {
  return text.includes(":") ? isIpv6(text) : isIpv4(text);
}

/** Leading zeros are let through, as the API server does for the sake of old objects. */
function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  const [head = "", tail, ...rest] = text.split("::");
  if (rest.length > 0) return false;
  const before = groups(head, tail === undefined);
  const after = tail === undefined ? 0 : groups(tail, true);
  if (before === undefined || after === undefined) return false;
  return tail === undefined ? before === 8 : before + after <= 7;
}

/** How many 16-bit groups a part of an IPv6 address holds; undefined when it is not one. */
function groups(part: string, last: boolean): number | undefined {
  if (part === "") return 0;
  const pieces = part.split(":");
  let count = 0;
  for (const [i, piece] of pieces.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(piece)) count++;
    else if (last && i === pieces.length - 1 && isIpv4(piece)) count += 2;
    else return undefined;
  }
  return count;
}
