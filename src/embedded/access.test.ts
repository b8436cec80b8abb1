import { X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadKubeconfig } from "../kube/config/kubeconfig.ts";
import { systemRandom as random } from "../lib/random.ts";
import { VirtualClock } from "../lib/virtual_clock.ts";
import { kubeconfigOf, openAccess } from "./access.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "access-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("keys are made once, for their owner's eyes only", () => {
  const clock = new VirtualClock();
  const first = openAccess({ folder, clock, random });
  expect(openAccess({ folder, clock, random })).toEqual(first);
  expect(first.token).toMatch(/^[0-9a-f]{64}$/);
  for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o077).toBe(0);
});

test("a server certificate that will expire is renewed by the same authority", async () => {
  const clock = new VirtualClock();
  const access = openAccess({ folder, clock, random });
  const first = access.tls;
  await clock.advance(200 * 86_400_000);
  expect(access.tls).toEqual(first);
  await clock.advance(100 * 86_400_000);
  const second = access.tls;
  expect(second).not.toEqual(first);
  expect(new X509Certificate(second.cert).verify(new X509Certificate(access.ca).publicKey)).toBe(true);
  expect(new X509Certificate(second.cert).validToDate.getTime()).toBeGreaterThan(
    clock.now() + 300 * 86_400_000,
  );
  const again = openAccess({ folder, clock, random });
  expect([again.tls, again.ca]).toEqual([second, access.ca]);
});

test("the kubeconfig is one that a client can load", async () => {
  const access = openAccess({ folder, clock: new VirtualClock(), random });
  const path = join(folder, "kubeconfig");
  writeFileSync(path, kubeconfigOf(access, "https://127.0.0.1:1234"));
  expect(await loadKubeconfig(path)).toEqual({
    name: "holdfast",
    namespace: "default",
    server: "https://127.0.0.1:1234",
    ca: access.ca,
    user: { type: "token", token: access.token },
  });
});
