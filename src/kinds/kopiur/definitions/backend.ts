import * as v from "../../../kube/schema/vocabulary.ts";
import { filesystem, rclone, sftp, webDav } from "./file_storage.ts";
import { azure, b2, gcs, s3 } from "./object_storage.ts";
import type { Scope } from "./scope.ts";

/** Where a repository's data is. */
export const backend = (scope: Scope) =>
  v
    .oneOf({
      s3: s3(scope),
      azure: azure(scope),
      gcs: gcs(scope),
      b2: b2(scope),
      filesystem: filesystem(),
      sftp: sftp(scope),
      webDav: webDav(scope),
      rclone: rclone(scope),
    })
    .describe("Where the repository's data is: exactly one kind of storage.");
