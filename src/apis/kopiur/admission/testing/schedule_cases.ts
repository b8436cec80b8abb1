import type { AdmissionCase } from "./admission_case.ts";
import { clusterRepository, config, HOUSEHOLD, maintenance, repository, schedule } from "./manifests.ts";

const given = [...HOUSEHOLD, config()];

export const scheduleCases: readonly AdmissionCase[] = [
  {
    name: "a time of its own in a zone",
    given,
    object: schedule({ timezone: "America/Los_Angeles", jitter: "30m" }),
  },
  {
    name: "a BackupConfig that is not there yet, with a warning",
    object: schedule({}),
    warnings: ["spec.configRef: BackupConfig tenant-a/data does not exist yet, and is waited for"],
  },
  {
    name: "an hour that no day has",
    given,
    object: schedule({ cron: "0 25 * * *" }),
    refused:
      'spec.schedule.cron: the cron expression "0 25 * * *" cannot be used: hour "25" is outside of 0-23. Write a number from 0 to 23, a range such as 1-3, */2, or H.',
  },
  {
    name: "too few fields",
    given,
    object: schedule({ cron: "0 2" }),
    refused:
      'spec.schedule.cron: the cron expression "0 2" cannot be used: it has 2 fields. Write the five fields minute, hour, day of the month, month and day of the week, such as "H 2 * * *".',
  },
  {
    name: "a day that never comes",
    given,
    object: schedule({ cron: "0 0 30 2 *" }),
    refused:
      'spec.schedule.cron: the cron expression "0 0 30 2 *" cannot be used: no month has such a day, so that it would never fire. Choose a day that the month has.',
  },
  {
    name: "a zone that nobody knows",
    given,
    object: schedule({ timezone: "Mars/Olympus" }),
    refused:
      'spec.schedule.timezone: the time zone "Mars/Olympus" is not known: it has to be a name of the IANA database. Write one such as "UTC", "Europe/Berlin" or "America/New_York".',
  },
  {
    name: "a delay longer than the time between two runs, with a warning",
    given,
    object: schedule({ cron: "*/5 * * * *", jitter: "10m" }),
    warnings: ["spec.schedule.jitter: 10m is longer than the time between two runs, and is cut there"],
  },
];

export const maintenanceCases: readonly AdmissionCase[] = [
  { name: "the first one of a repository", given: [repository()], object: maintenance() },
  {
    name: "one of a read-only repository",
    given: [repository({ spec: { access: { readOnly: true } } })],
    object: maintenance(),
    refused:
      "spec.repository: Repository tenant-a/nas is not maintained or unlocked: it is read-only (access.readOnly). Set access.readOnly to false to write to it from here, or maintain it where it is written.",
  },
  {
    name: "a second one of a repository",
    given: [repository(), maintenance({ name: "first" })],
    object: maintenance(),
    refused:
      "spec.repository: Repository nas cannot have a second Maintenance: Maintenance tenant-a/first maintains it already. Change that one, or delete it first.",
  },
  {
    name: "a second one from another namespace",
    given: [repository({ spec: { allowedNamespaces: { all: true } } }), maintenance()],
    object: maintenance({
      namespace: "tenant-b",
      spec: { repository: { name: "nas", namespace: "tenant-a" } },
    }),
    refused:
      "spec.repository: Repository nas cannot have a second Maintenance: Maintenance tenant-a/nas maintains it already. Change that one, or delete it first.",
  },
  {
    name: "one of a ClusterRepository from the operator's own namespace",
    given: [clusterRepository()],
    object: maintenance({
      namespace: "platform",
      spec: { repository: { kind: "ClusterRepository", name: "commons" } },
    }),
  },
  {
    name: "one of a ClusterRepository from elsewhere, though the namespace may use it",
    given: [clusterRepository({ spec: { allowedNamespaces: { all: true } } })],
    object: maintenance({
      namespace: "tenant-b",
      spec: { repository: { kind: "ClusterRepository", name: "commons" } },
    }),
    refused:
      "spec.repository: ClusterRepository commons cannot be maintained from namespace tenant-b: it is shared, and is maintained from the operator's namespace platform alone. Have the Maintenance written in namespace platform, or use a Repository of your own.",
  },
  {
    name: "one of a Repository of a namespace that does not consent",
    given: [repository({ namespace: "tenant-b" })],
    object: maintenance({ spec: { repository: { name: "nas", namespace: "tenant-b" } } }),
    refused:
      "spec.repository: Repository tenant-b/nas cannot be used from namespace tenant-a: namespace tenant-a is not listed there, and whoever wrote the reference may not get it. Have tenant-a added to the Repository's allowedNamespaces, or have someone write this who may get it.",
  },
  {
    name: "times that never come, in a zone that nobody knows",
    given: [repository()],
    object: maintenance({
      spec: {
        repository: { name: "nas" },
        schedule: { quick: { cron: "0 0 31 4 *" }, full: { cron: "weekly" }, timezone: "Nowhere" },
      },
    }),
    refused:
      '3 problems: (1) spec.schedule.timezone: the time zone "Nowhere" is not known: it has to be a name of the IANA database. Write one such as "UTC", "Europe/Berlin" or "America/New_York". (2) spec.schedule.quick.cron: the cron expression "0 0 31 4 *" cannot be used: no month has such a day, so that it would never fire. Choose a day that the month has. (3) spec.schedule.full.cron: the cron expression "weekly" cannot be used: it has 1 fields. Write the five fields minute, hour, day of the month, month and day of the week, such as "H 2 * * *".',
  },
  {
    name: "privileges that the namespace does not consent to",
    given: [repository()],
    object: maintenance({ spec: { repository: { name: "nas" }, mover: { privilegedMode: true } } }),
    refused:
      "spec.mover.privilegedMode: movers cannot have privileges in namespace tenant-a: the namespace does not consent to it. Annotate the namespace with kopiur.home-operations.com/allow-privileged-movers=true, or leave privilegedMode out.",
  },
];
