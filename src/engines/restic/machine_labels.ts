/** Attributes that belong to a machine, and not to the data: where files are restored, it labels them itself. */
export const MACHINE_LABELS: readonly string[] = ["security.selinux", "security.ima", "security.evm"];
