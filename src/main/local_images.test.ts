import { describe, expect, test } from "vitest";
import { localImages } from "./local_images.ts";

const node = process.execPath;
const images = localImages({ mover: node, node, engines: { kopia: node } });

describe("localImages", () => {
  test("the mover runs with its engines on its PATH, and not as root", () => {
    expect(images("registry.example.com:5000/holdfast/mover:0.1.0")).toMatchObject({
      command: ["/usr/local/bin/node", "/usr/local/lib/holdfast/mover.mjs"],
      files: { "/usr/local/bin/kopia": expect.any(String), "/usr/local/bin/node": expect.any(String) },
      user: 65532,
    });
  });

  test.each(["holdfast/host", "docker.io/holdfast/host:1", "holdfast/host@sha256:00"])(
    "%s is the machine's shell",
    (name) => {
      expect(images(name)).toEqual({ command: ["sh"] });
    },
  );

  test.each(["busybox", "holdfast/hosts", "other/holdfast-mover:1", "notholdfast/mover"])(
    "%s stands for nothing",
    (name) => {
      expect(images(name)).toBeUndefined();
    },
  );
});
