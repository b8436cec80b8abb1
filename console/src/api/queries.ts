import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type {
  ConsoleView,
  DoctorReport,
  ObjectDetail,
  ProtectChoice,
  RepositoryDetail,
  RetentionPreview,
  Rights,
  ScheduleRow,
  Session,
  SnapshotPage,
  VolumeDetail,
} from "../../../src/cli/console/contract.ts";
import { getJson, type Params, setCsrf } from "./http.ts";

/** Queries under this key are asked again when the cluster changed. */
export const LIVE = "live";
/** Asked again now and then, should an event be lost. */
const AGAIN = 30_000;

function live<T>(path: string, params: Params = {}) {
  return queryOptions({
    queryKey: [LIVE, path, params],
    queryFn: ({ signal }) => getJson<T>(path, params, signal),
    refetchInterval: AGAIN,
  });
}

function asked<T>(path: string, params: Params = {}) {
  return queryOptions({
    queryKey: [path, params],
    queryFn: ({ signal }) => getJson<T>(path, params, signal),
    staleTime: 60_000,
  });
}

type Named = { readonly namespace?: string | undefined; readonly name: string };

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }) => {
    const session = await getJson<Session>("session", {}, signal);
    setCsrf(session.csrf);
    return session;
  },
  staleTime: Number.POSITIVE_INFINITY,
});
export const viewQuery = (namespace?: string) => live<ConsoleView>("view", { namespace });
export const volumeQuery = ({ namespace, name }: Named) => live<VolumeDetail>("volume", { namespace, name });
export const schedulesQuery = (namespace?: string) =>
  live<readonly ScheduleRow[]>("schedules", { namespace });
export const repositoryQuery = (params: Named & { readonly kind: string }) =>
  live<RepositoryDetail>("repository", { ...params });
export const objectQuery = (params: Named & { readonly resource: string }) =>
  live<ObjectDetail>("object", { ...params });
export const snapshotsQuery = (params: Params) => live<SnapshotPage>("snapshots", params);
export const doctorQuery = (namespace?: string) => asked<DoctorReport>("doctor", { namespace });
export const rightsQuery = (namespace?: string, of?: string) => asked<Rights>("may", { namespace, of });
export const protectQuery = ({ namespace, name }: Named) =>
  asked<readonly ProtectChoice[]>("protect", { namespace, name });
export const retentionQuery = (namespace: string, config: string) =>
  asked<RetentionPreview>("retention", { namespace, config });

/** The cluster changed: all that is on the screen is asked again; the rest when it is next looked at. */
export function refreshLive(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: [LIVE] });
}
