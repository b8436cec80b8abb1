import { expect, test } from "vitest";
import { KeptRecord } from "./kept_record.ts";

async function textOf(record: KeptRecord): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of record.bytes()) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** A source of these parts, and how often it was read and stopped early. */
function source(...parts: readonly Uint8Array[]) {
  const seen = { reads: 0, stopped: 0 };
  const read = async function* () {
    seen.reads += 1;
    let complete = false;
    try {
      yield* parts;
      complete = true;
    } finally {
      if (!complete) seen.stopped += 1;
    }
  };
  return { seen, read };
}

test("a small record is read once, however often it is used", async () => {
  const { seen, read } = source(Buffer.from("one "), Buffer.from("two"));
  const record = new KeptRecord(read, undefined);
  record.begin();
  expect([await textOf(record), await textOf(record)]).toEqual(["one two", "one two"]);
  expect(seen).toEqual({ reads: 1, stopped: 0 });
});

test("a large record is not kept, and read whole by each that uses it", async () => {
  const { seen, read } = source(
    ...Array.from({ length: 9 }, () => Buffer.alloc(2 ** 20)),
    Buffer.from("end"),
  );
  const record = new KeptRecord(read, undefined);
  expect((await textOf(record)).length).toBe(9 * 2 ** 20 + 3);
  expect(seen).toEqual({ reads: 2, stopped: 1 });
});

test("a failure is told to whoever uses it", async () => {
  const read = async function* (): AsyncIterable<Uint8Array> {
    yield Buffer.from("half");
    throw new Error("it broke off");
  };
  const record = new KeptRecord(read, undefined);
  record.begin();
  await expect(textOf(record)).rejects.toThrow("it broke off");
});

test("a record that is not wanted any more is not waited for", async () => {
  let told = false;
  const read = async function* (signal: AbortSignal): AsyncIterable<Uint8Array> {
    yield Buffer.from("half");
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    told = true;
    throw new Error("ended");
  };
  const record = new KeptRecord(read, new AbortController().signal);
  record.begin();
  await record.end();
  expect(told).toBe(true);
});
