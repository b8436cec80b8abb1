import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ResponseDecoder } from "./https_sender_decoder.ts";

function decoded(response: string | Buffer, size = Number.POSITIVE_INFINITY): ResponseDecoder {
  const bytes = Buffer.from(response);
  const decoder = new ResponseDecoder();
  for (let at = 0; at < bytes.length; at += size) decoder.add(bytes.subarray(at, at + size));
  return decoder;
}

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

describe("ResponseDecoder", () => {
  test("reads head and chunks, however the bytes are cut", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1 });
    fc.assert(
      fc.property(fc.array(text), fc.integer({ min: 1, max: 20 }), (texts, size) => {
        const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n";
        const decoder = decoded(`${head}${texts.map(chunk).join("")}0\r\n\r\n`, size);
        expect(decoder.head).toEqual({
          status: 200,
          headers: { "content-type": "text/plain", "transfer-encoding": "chunked" },
        });
        expect(decoder.take().toString()).toBe(texts.join(""));
        expect(decoder.isComplete).toBe(true);
      }),
    );
  });

  test("a chunk may have extensions, and trailers may follow", () => {
    const body = '5;name="x;y"\r\nfirst\r\nA \r\nand second\r\n0\r\nTrailer: 1\r\nMore: 2\r\n\r\n';
    const decoder = decoded(`HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n${body}`);
    expect(decoder.take().toString()).toBe("firstand second");
    expect(decoder.isComplete).toBe(true);
  });

  test("a body of known length ends with its last byte", () => {
    const decoder = decoded("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody and more");
    expect(decoder.take().toString()).toBe("body");
    expect(decoder.isComplete).toBe(true);
  });

  test.each(["HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"])(
    "an answer without a body is complete with its head: %j",
    (response) => expect(decoded(response).isComplete).toBe(true),
  );

  test("without a length the body goes on until the connection ends", () => {
    const decoder = decoded("HTTP/1.0 200 OK\r\n\r\nwhatever comes");
    expect(decoder.isComplete).toBe(false);
    expect(decoder.end()).toBe(true);
    expect(decoder.take().toString()).toBe("whatever comes");
  });

  test.each([
    "HTTP/1.1 200 OK\r\ncontent-",
    "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfour",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfour",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nfour\r\n",
  ])("a connection that ends within the answer leaves it incomplete: %j", (response) => {
    expect(decoded(response).end()).toBe(false);
  });

  test("says when a part of a chunk has come", () => {
    const decoder = decoded("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfi");
    expect(decoder.isWithinChunk).toBe(true);
    decoder.add(Buffer.from("rst\r\n"));
    expect(decoder.isWithinChunk).toBe(false);
    expect(decoder.waiting).toBe(5);
  });

  test("much is taken in parts, and what was taken stays as it is while more comes", () => {
    const decoder = decoded("HTTP/1.1 200 OK\r\n\r\n");
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251));
    const taken: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 50_000) {
      decoder.add(bytes.subarray(at, at + 30_000));
      taken.push(decoder.take());
      decoder.add(bytes.subarray(at + 30_000, at + 50_000));
    }
    while (decoder.waiting > 0) taken.push(decoder.take());
    expect(Buffer.concat(taken).equals(bytes)).toBe(true);
    expect(decoder.take()).toHaveLength(0);
  });

  test("headers of one name are joined, and read as UTF-8", () => {
    const decoder = decoded("HTTP/1.1 200 OK\r\nWarning: naïve ✓\r\nwarning:two \r\nconstructor: x\r\n\r\n");
    expect(decoder.head?.headers).toEqual({ warning: "naïve ✓, two", constructor: "x" });
  });

  test("interim answers are passed over", () => {
    const interim = "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n";
    const decoder = decoded(`${interim}HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n`);
    expect(decoder.head).toEqual({ status: 404, headers: { "content-length": "0" } });
  });

  test.each([
    ["SSH-2.0-OpenSSH\r\n", "the answer is not HTTP/1.1"],
    ["HTTP/1.1 200 OK\r\nno colon\r\n", "a header of the answer has no name"],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n", "encoding gzip, chunked is not known"],
    ["HTTP/1.1 200 OK\r\ncontent-length: 5, 6\r\n\r\n", "the answer's length is not a number"],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n", "a chunk of the answer has no size"],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n", "longer than it says"],
    [`HTTP/1.1 200 OK\r\nx: ${"x".repeat(70_000)}`, "a header is too long"],
    [`HTTP/1.1 200 OK\r\n${`x: ${"x".repeat(1000)}\r\n`.repeat(70)}`, "headers of the answer are too long"],
  ])("refuses what is no answer: %.60j", (response, message) => {
    expect(() => decoded(response)).toThrow(message);
  });
});
