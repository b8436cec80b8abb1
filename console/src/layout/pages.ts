/** The console's main places, in the order of the navigation; after `g`, the key leads there. */
export const PAGES = [
  { to: "/", title: "Overview", key: "o" },
  { to: "/volumes", title: "Volumes", key: "v" },
  { to: "/snapshots", title: "Snapshots", key: "s" },
  { to: "/files", title: "Files", key: "f" },
  { to: "/restore", title: "Restore", key: "r" },
  { to: "/activity", title: "Activity", key: "a" },
  { to: "/schedules", title: "Schedules", key: "p" },
  { to: "/repositories", title: "Repositories", key: "b" },
  { to: "/doctor", title: "Doctor", key: "d" },
  { to: "/lost", title: "Lost cluster", key: "l" },
] as const;
