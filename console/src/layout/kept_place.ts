/** Of this tab alone, which comes back from the provider. */
const KEY = "holdfast-place";

/** Keeps where a person wanted to go, while they sign in elsewhere: they come back to the first page. */
export function keepPlace(): void {
  sessionStorage.setItem(KEY, location.pathname + location.search);
}

/** Before the page begins: goes where they wanted to go. */
export function returnToPlace(): void {
  const place = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  if (place !== null && location.pathname === "/") history.replaceState(null, "", place);
}
