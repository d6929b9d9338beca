import type { HomePerson } from "./home-person.ts";
import { accountName } from "./identity.ts";

/** Whether the recorded person is no longer the only one in a home channel. */
export function isChanged({ person, present }: HomePerson): boolean {
  return person !== null && !(present.length === 1 && present[0] === person);
}

/** Whether a person must decide who is the operator in a home channel. `operators` are those in the config. */
export function isUnsettled({ person, isPrivate }: HomePerson, operators: readonly string[]): boolean {
  return person === null && isPrivate && operators.length === 0;
}

/** Says on one line what is wrong with a home channel, and what to do about it; null when all is well. */
export function homeNotice(home: HomePerson, operators: readonly string[]): string | null {
  const { platform, person, present } = home;
  const place = `the home channel of ${platform}, ${nameOfHome(home)}`;
  const command = (id: string) => `\`hermes home operator ${accountName(home)} ${id}\``;
  if (isUnsettled(home, operators)) {
    const [only, ...others] = present;
    const why = `Nobody is the operator in ${place}: who was there when it became that is not recorded.`;
    return only !== undefined && others.length === 0
      ? `${why} ${only} is there now; ${command(only)} makes them the operator.`
      : `${why} ${command("<id>")} makes somebody the operator.`;
  }
  if (!isChanged(home)) return null;
  const others = present.filter((one) => one !== person).join(", ") || "nobody that the platform names";
  const than = person !== null && present.includes(person) ? "as well as" : "rather than";
  return `${others} ${than} ${person} is in ${place}. That makes nobody else the operator, and nothing of sessions is said there. ${command("<id>")} records somebody else.`;
}

/** The name of a home channel for people. */
export function nameOfHome({ name, home }: HomePerson): string {
  return name ?? home;
}
