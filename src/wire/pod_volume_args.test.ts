import { expect, test } from "vitest";
import { type PodVolumeCommand, parsePodVolume, podVolumeArgs } from "./pod_volume_args.ts";

const backup: PodVolumeCommand = {
  direction: "backup",
  volumePath: "/v",
  name: "nightly-x1",
  resourceTimeoutSeconds: 600,
  logFormat: "json",
  logLevel: "info",
};

test.each<[PodVolumeCommand]>([
  [backup],
  [
    {
      ...backup,
      direction: "restore",
      resourceTimeoutSeconds: 90,
      logFormat: "text",
      logLevel: "debug",
    },
  ],
])("the command line of %j is read as it was meant", (command) => {
  expect(parsePodVolume(podVolumeArgs(command))).toEqual({ ok: true, value: command });
});

test("flags that are left out have Velero's defaults", () => {
  expect(parsePodVolume(["pod-volume", "backup", "--volume-path", "/v", "--pod-volume-backup", "b"])).toEqual(
    { ok: true, value: { ...backup, name: "b", logFormat: "text" } },
  );
});

test.each<[string, string]>([
  ["repair", "the mover knows pod-volume backup and pod-volume restore, and not repair"],
  ["pod-volume move", "the mover knows pod-volume backup and pod-volume restore, and not pod-volume move"],
  ["pod-volume backup --pod-volume-backup=b", "--volume-path must be an absolute path"],
  ["pod-volume restore --volume-path=/v", "--pod-volume-restore must name an object"],
  [
    "pod-volume backup --volume-path=/v --pod-volume-restore=b",
    expect.stringContaining("--pod-volume-restore"),
  ],
  [
    "pod-volume backup --volume-path=/v --pod-volume-backup=b --log-format=xml",
    "--log-format is xml: it must be text or json",
  ],
  [
    "pod-volume backup --volume-path=/v --pod-volume-backup=b --log-level=loud",
    expect.stringContaining("--log-level is loud"),
  ],
  [
    "pod-volume backup --volume-path=/v --pod-volume-backup=b --resource-timeout=soon",
    "--resource-timeout is soon: it must be a duration such as 10m0s",
  ],
])("%s is refused", (line, error) => {
  expect(parsePodVolume(line.split(" "))).toEqual({ ok: false, error });
});
