import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import { createAuthority } from "../certificates/certificates.ts";
import { FileCertificates } from "./file_certificates.ts";

const random = seededRandom(3);
const validity = { notBefore: Date.UTC(2026, 0, 1), notAfter: Date.UTC(2027, 0, 1) };
const first = createAuthority({ name: "first", validity, random });
const second = createAuthority({ name: "second", validity, random });

describe("FileCertificates", () => {
  let folder: string;
  let certificates: FileCertificates;
  const write = (name: "cert" | "key", text: string) => writeFile(join(folder, name), text);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "file-certificates-"));
    certificates = new FileCertificates({ cert: join(folder, "cert"), key: join(folder, "key") });
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("reads the files, and again when they change", async () => {
    await write("cert", first.cert);
    await write("key", first.key);
    await certificates.refresh();
    expect(certificates.identity).toEqual(first);
    await write("cert", second.cert);
    await write("key", second.key);
    await certificates.refresh();
    expect(certificates.identity).toEqual(second);
    expect(certificates.caBundle).toBeUndefined();
  });

  test("stays with the old pair while only one file is new", async () => {
    await write("cert", first.cert);
    await write("key", first.key);
    await certificates.refresh();
    await write("cert", second.cert);
    await expect(certificates.refresh()).rejects.toThrow("the key belongs to another certificate");
    expect(certificates.identity).toEqual(first);
  });

  test("says which files it needs", async () => {
    await expect(certificates.refresh()).rejects.toThrow(
      /^cannot serve with .*cert and .*key: ENOENT.*mounted/,
    );
    expect(() => certificates.identity).toThrow("have not been read yet");
  });
});
