import { useQuery } from "@tanstack/react-query";
import type { SnapshotRow, VolumeDetail } from "../../../../src/cli/console/contract.ts";
import { bytesText } from "../../../../src/lib/bytes_text.ts";
import { volumeQuery } from "../../api/queries.ts";
import { useNamed } from "../../layout/scope.ts";
import { ActionButton } from "../../parts/action_button.tsx";
import { Answer } from "../../parts/answer.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Calendar } from "../../parts/calendar.tsx";
import { EventsTable } from "../../parts/events_table.tsx";
import { ObjectLink } from "../../parts/object_link.tsx";
import { Page } from "../../parts/page.tsx";
import { Sizes } from "../../parts/sizes.tsx";
import { SnapshotLinks, SnapshotSigns } from "../../parts/snapshot_links.tsx";
import { Table } from "../../parts/table.tsx";
import { To } from "../../parts/to.tsx";
import { When } from "../../parts/when.tsx";
import { levelOf } from "../../text/levels.ts";
import * as links from "../../text/links.ts";

/** One PersistentVolumeClaim: what protects it, how well, and what there is to restore. */
export function Volume() {
  const { namespace = "", name } = useNamed();
  const query = useQuery(volumeQuery({ namespace, name }));
  return (
    <Page
      title={`${namespace}/${name}`}
      words={["coverage"]}
      namespace={namespace}
      object={{ resource: "persistentvolumeclaims", namespace, name }}
      actions={query.data ? <Actions detail={query.data} /> : null}
    >
      <Answer query={query} what="the volume">
        {(detail) => <Detail detail={detail} />}
      </Answer>
    </Page>
  );
}

function Actions({ detail: { volume, snapshots } }: { readonly detail: VolumeDetail }) {
  const { namespace, name, by, protection } = volume;
  const config = by.find(({ kind, api }) => kind === "BackupConfig" && api === "kopiur");
  const files = snapshots.find((row) => row.files)?.files;
  return (
    <>
      {config ? (
        <>
          <ActionButton
            action="backup"
            verb="Back up now"
            title={`Back up now: ${namespace}/${name}`}
            namespace={config.namespace ?? namespace}
            words={["backup", "now", config.name]}
            says={<p>Makes a Backup of all that BackupConfig {config.name} names, and follows it.</p>}
          />
          <ActionButton
            action="drill"
            verb="Prove it"
            title={`Prove it: ${namespace}/${name} can be restored`}
            namespace={config.namespace ?? namespace}
            words={["drill", `config/${config.name}`]}
            detach={false}
            says={
              <p>
                Restores the newest Backup into a new PVC, compares it with its snapshot, and deletes the PVC
                again. No volume of yours is written.
              </p>
            }
          />
        </>
      ) : null}
      {protection === "no" ? (
        <To className="button primary" place={links.volumes({ protect: `${namespace}/${name}` })}>
          Protect
        </To>
      ) : null}
      {files ? (
        <>
          <To className="button" place={links.files(files)}>
            Files
          </To>
          <To className="button" place={links.restore(files)}>
            Restore
          </To>
        </>
      ) : null}
    </>
  );
}

function Detail({ detail }: { readonly detail: VolumeDetail }) {
  const { volume, plan, days, events, snapshots } = detail;
  return (
    <>
      <div className="cards">
        <Facts detail={detail} />
        <section className="card" aria-labelledby="plan">
          <h2 id="plan">What backs it up</h2>
          {plan.length === 0 ? <p>{volume.exempt ?? nothing(volume)}</p> : null}
          {plan.map(({ object, says }) => (
            <div key={`${object.api}/${object.kind}/${object.name}`}>
              <p className="strong">
                <ObjectLink object={object} /> <span className="dim">{object.api}</span>
              </p>
              <ul className="says dots">
                {says.map((one) => (
                  <li key={one}>{one}</li>
                ))}
              </ul>
            </div>
          ))}
        </section>
      </div>
      <section className="card" aria-labelledby="calendar">
        <h2 id="calendar">Backups of a year</h2>
        <Calendar days={days} />
      </section>
      <section className="card" aria-labelledby="sizes">
        <h2 id="sizes">Size</h2>
        <Sizes
          what="Size"
          rows={days}
          dayOf={({ day }) => day}
          lines={[{ title: "Logical", of: ({ bytes }) => bytes }]}
        />
      </section>
      <h2>Snapshots</h2>
      <SnapshotTable rows={snapshots} />
      <p>
        <To place={links.snapshots({ volume: `${volume.namespace}/${volume.name}` })}>
          All snapshots of this volume
        </To>
      </p>
      <h2>Events</h2>
      <EventsTable events={events} />
    </>
  );
}

function nothing({ unseen }: VolumeDetail["volume"]): string {
  return unseen ? "Nothing that you may look at." : "Nothing. Its data would be gone with it.";
}

function Facts({ detail }: { readonly detail: VolumeDetail }) {
  const { volume, size, storageClass, phase, usedBy, proof } = detail;
  const { tone, label, means } = levelOf(volume);
  return (
    <section className="card" aria-labelledby="state">
      <h2 id="state">State</h2>
      <p>
        <Badge tone={tone}>{label}</Badge> {means}
      </p>
      {volume.wrong.map((one) => (
        <p key={one} className="box tone-warn">
          {one}
        </p>
      ))}
      <dl className="facts">
        <dt>Last good backup</dt>
        <dd>
          <When at={volume.lastGood?.at} none="none" />
        </dd>
        <dt>Next run</dt>
        <dd>
          <When at={volume.nextRun} none="none is scheduled" />
        </dd>
        <dt>Last proof</dt>
        <dd>
          {proof ? (
            <>
              <Badge tone={proof.good ? "good" : "bad"}>{proof.good ? "Good" : "Failed"}</Badge>{" "}
              <When at={proof.at} />: {proof.what}
            </>
          ) : (
            "Nobody has restored or checked it yet."
          )}
        </dd>
        <dt>Claim</dt>
        <dd>{[phase, size, storageClass].filter(Boolean).join(", ")}</dd>
        <dt>Used by</dt>
        <dd>
          {usedBy.length === 0 ? "no pod" : null}
          {usedBy.map(({ pod, owner }) => (
            <div key={pod}>{owner ? `${owner} (${pod})` : pod}</div>
          ))}
        </dd>
      </dl>
    </section>
  );
}

function SnapshotTable({ rows }: { readonly rows: readonly SnapshotRow[] }) {
  return (
    <Table
      caption="Snapshots"
      rows={rows.slice(0, 20)}
      keyOf={({ api, object }) => `${api}/${object.kind}/${object.namespace}/${object.name}`}
      empty="There are no snapshots of this volume."
      columns={[
        {
          title: "Snapshot",
          cell: ({ object, api }) => <ObjectLink object={{ ...object, api }} kind={false} />,
        },
        { title: "Of", cell: ({ at }) => <When at={at} /> },
        { title: "Size", number: true, cell: ({ bytes }) => (bytes === undefined ? "–" : bytesText(bytes)) },
        { title: "State", cell: (row) => <SnapshotSigns row={row} /> },
        { title: "By", cell: ({ origin, api }) => `${origin ?? "–"} (${api})` },
        { title: "Open", cell: (row) => <SnapshotLinks row={row} /> },
      ]}
    />
  );
}
