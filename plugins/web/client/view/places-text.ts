/** `in a terminal (pid 12), on pager and in #general on pager` */
export function placesText(places: readonly string[]): string {
  const last = places.at(-1) ?? "";
  return places.length < 2 ? last : `${places.slice(0, -1).join(", ")} and ${last}`;
}
