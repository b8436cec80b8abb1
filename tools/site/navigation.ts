/** The side of every page: what to read first, and then by what one wants. Whatever else is linked is there, too. */
export const NAVIGATION: readonly { readonly title: string; readonly pages: readonly string[] }[] = [
  {
    title: "Start here",
    pages: ["README.md", "docs/start.md", "docs/guides/install.md", "docs/concepts.md"],
  },
  {
    title: "Guides",
    pages: [
      "docs/guides/repositories.md",
      "docs/guides/backupconfigs.md",
      "docs/guides/schedules-and-retention.md",
      "docs/guides/restoring.md",
      "docs/guides/plumber.md",
      "docs/guides/autorestore.md",
      "docs/guides/cozystack-tenants.md",
      "docs/guides/cozystack-administrators.md",
      "docs/guides/cozystack-drivers.md",
      "docs/guides/velero.md",
      "docs/guides/lost-cluster.md",
      "docs/guides/catalogue.md",
      "docs/guides/hooks.md",
      "docs/guides/maintenance.md",
      "docs/guides/waiting-cancelling-deleting.md",
      "docs/guides/what-happens-when.md",
      "docs/guides/cli.md",
      "docs/guides/console.md",
      "docs/embedded.md",
    ],
  },
  {
    title: "Running it",
    pages: [
      "docs/operator.md",
      "docs/security.md",
      "docs/sizing.md",
      "docs/troubleshooting.md",
      "docs/runbooks/README.md",
    ],
  },
  {
    title: "Reference",
    pages: [
      "docs/reference/README.md",
      "docs/reference/reasons.md",
      "docs/reference/templates.md",
      "docs/reference/metrics.md",
      "docs/reference/alerts.md",
      "docs/reference/rights.md",
      "docs/reference/coming-from-kopiur.md",
      "docs/reference/coming-from-pvc-plumber.md",
    ],
  },
  {
    title: "Why",
    pages: ["docs/comparison.md", "docs/benchmarks.md", "ARCHITECTURE.md", "docs/decisions/README.md"],
  },
];
