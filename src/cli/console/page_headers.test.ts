import { expect, test } from "vitest";
import { attachment, contentHeaders, previewType } from "./page_headers.ts";

test.each([
  ["a.txt", `attachment; filename="a.txt"; filename*=UTF-8''a.txt`],
  ['a".txt', `attachment; filename="a_.txt"; filename*=UTF-8''a%22.txt`],
  [
    "a\r\nset-cookie: x=y",
    `attachment; filename="a__set-cookie: x=y"; filename*=UTF-8''a%0D%0Aset-cookie%3A%20x%3Dy`,
  ],
  ["Größe (1).txt", `attachment; filename="Gr__e (1).txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%281%29.txt`],
  ["a\ud800b", `attachment; filename="a_b"; filename*=UTF-8''a%EF%BF%BDb`],
])("the download of %j is %j", (name, header) => {
  expect(attachment(name)).toBe(header);
});

test.each([
  ["a.png", "image/png"],
  ["A.JPEG", "image/jpeg"],
  ["a.html", "text/plain; charset=utf-8"],
  ["a.svg", "text/plain; charset=utf-8"],
  ["a.xml", "text/plain; charset=utf-8"],
  ["a.pdf", "text/plain; charset=utf-8"],
  ["constructor", "text/plain; charset=utf-8"],
  ["a.constructor", "text/plain; charset=utf-8"],
  ["README", "text/plain; charset=utf-8"],
])("a preview of %s is %s", (name, type) => {
  expect(previewType(name)).toBe(type);
});

test("bytes from a backup are never a page", () => {
  expect(contentHeaders("a.html", true)).toMatchObject({
    "content-security-policy": "sandbox; default-src 'none'",
    "content-type": "text/plain; charset=utf-8",
    "content-disposition": "inline",
  });
  expect(contentHeaders("a.html", false)).toMatchObject({
    "content-security-policy": "sandbox; default-src 'none'",
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="a.html"; filename*=UTF-8''a.html`,
  });
});
