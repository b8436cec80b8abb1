import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { auth } from "./auth.ts";
import type { Scope } from "./scope.ts";
import { tls } from "./secret_ref.ts";
import { text } from "./words.ts";

/** `..` must not lead out of a folder. */
const folder = () => {
  const path = z.string().min(1).max(1024);
  return v.rule(path, {
    rule: "!self.split('/').exists(part, part == '..')",
    message: "path must not contain '..'",
  });
};

export const filesystem = () =>
  z
    .object({
      pvc: z
        .object({ name: v.objectName().describe("Name of the PVC.") })
        .describe(
          "The volume. A mover mounts the PVC of this name in its own namespace. If several namespaces share the repository, each needs a PVC for the same storage.",
        ),
      path: folder().default("/").describe("Folder of the repository on the volume."),
    })
    .describe(
      "A folder on a volume. Its files belong to the user whose mover wrote them: run all movers as one user, or as root.",
    );

export const sftp = (scope: Scope) =>
  z
    .object({
      host: text(253).min(1).describe("The server."),
      port: z.int().min(1).max(65535).default(22).describe("Its port."),
      username: text(64).min(1).describe("The user to log in as."),
      path: folder().describe("Folder of the repository on the server."),
      auth: auth(scope, "SFTP_KNOWN_HOSTS, and SFTP_PRIVATE_KEY or SFTP_PASSWORD"),
    })
    .describe("An SFTP server.");

export const webDav = (scope: Scope) =>
  z
    .object({
      url: z
        .string()
        .max(1024)
        .regex(/^https?:\/\/.+$/)
        .describe("URL of the repository's folder."),
      auth: auth(scope, "WEBDAV_USERNAME and WEBDAV_PASSWORD").optional(),
      tls: tls(scope).optional(),
    })
    .describe("A WebDAV server. Only with kopia.");

export const rclone = (scope: Scope) =>
  z
    .object({
      remotePath: z
        .string()
        .max(1024)
        .regex(/^[^:/]+:.*$/)
        .describe("`remote:path`, with the remote defined in the Secret's RCLONE_CONFIG."),
      auth: auth(scope, "RCLONE_CONFIG, the text of an rclone.conf"),
    })
    .describe("Any storage that rclone supports.");
