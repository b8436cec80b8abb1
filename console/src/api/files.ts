import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type {
  Difference,
  Entry,
  FilePage,
  FileSearch,
  FilesOf,
  FileVersion,
} from "../../../src/cli/console/contract.ts";
import { apiPath, getJson } from "./http.ts";

/** Queries under this key open a repository session. */
export const FILES = "files";
/** Entries of one answer. */
const PAGE = 1_000;
/** What a snapshot holds never changes. */
const ALWAYS = { staleTime: Number.POSITIVE_INFINITY } as const;

/** What a folder holds, a page at a time. */
export const entriesQuery = (of: FilesOf, path: string) =>
  infiniteQueryOptions({
    ...ALWAYS,
    queryKey: [FILES, "entries", of, path],
    queryFn: ({ pageParam, signal }) =>
      getJson<FilePage>("files/entries", { ...of, path, after: pageParam, limit: PAGE }, signal),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });

export const entryQuery = (of: FilesOf, path: string) =>
  queryOptions({
    ...ALWAYS,
    queryKey: [FILES, "entry", of, path],
    queryFn: ({ signal }) => getJson<Entry>("files/entry", { ...of, path }, signal),
  });

export const versionsQuery = (of: FilesOf, path: string) =>
  queryOptions({
    queryKey: [FILES, "versions", of, path],
    queryFn: ({ signal }) => getJson<readonly FileVersion[]>("files/versions", { ...of, path }, signal),
    staleTime: 60_000,
  });

/** `name` is a glob. */
export const searchQuery = (params: {
  readonly namespace: string;
  readonly config: string;
  readonly name: string;
}) =>
  queryOptions({
    queryKey: [FILES, "search", params],
    queryFn: ({ signal }) => getJson<FileSearch>("files/search", params, signal),
    staleTime: 60_000,
  });

export const diffQuery = (params: {
  readonly namespace: string;
  readonly older: string;
  readonly newer: string;
  readonly pvc?: string | undefined;
  readonly path?: string | undefined;
}) =>
  queryOptions({
    ...ALWAYS,
    queryKey: [FILES, "diff", params],
    queryFn: ({ signal }) => getJson<readonly Difference[]>("files/diff", params, signal),
  });

/** The text of a small file. */
export const textQuery = (of: FilesOf, path: string) =>
  queryOptions({
    ...ALWAYS,
    queryKey: [FILES, "text", of, path],
    queryFn: async ({ signal }) => {
      const response = await fetch(contentPath(of, path, true), { credentials: "same-origin", signal });
      if (!response.ok) throw new Error(`The server answered ${response.status} instead of the file`);
      return response.text();
    },
  });

export function contentPath(of: FilesOf, path: string, preview = false): string {
  return apiPath("files/content", { ...of, path, preview: preview ? 1 : undefined });
}

/** A folder as a tar. */
export function archivePath(of: FilesOf, path: string): string {
  return apiPath("files/archive", { ...of, path });
}
