import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/** Of this tab alone, which comes back from the provider. */
const KEY = "holdfast-place";

/** Keeps where a person wanted to go, while they sign in elsewhere: they come back to the first page. */
export function keepPlace(): void {
  sessionStorage.setItem(KEY, location.pathname + location.search);
}

/** Goes where they wanted to go. */
export function useKeptPlace(): void {
  const { history } = useRouter();
  useEffect(() => {
    const place = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    if (place !== null && location.pathname === "/") history.replace(place);
  }, [history]);
}
