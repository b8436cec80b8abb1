import { type Identity, identityText } from "../../wire/identity.ts";

/** A `snapshot create` of what follows, under this identity. */
export function snapshotCommand(identity: Identity, more: readonly string[]): readonly string[] {
  return [
    "snapshot",
    "create",
    "--json",
    "--force-disable-actions",
    "--no-send-snapshot-report",
    // Without it kopia prints what it made before it has stored it.
    "--flush-per-source",
    `--override-source=${identityText(identity)}`,
    ...more,
  ];
}
