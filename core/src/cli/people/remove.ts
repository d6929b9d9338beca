import { HermesError } from "../../base/errors.ts";
import { count } from "../../base/text.ts";
import type { Host } from "../../host/host.ts";
import { accountName } from "../../model/identity.ts";
import type { IdentityKey } from "../../model/person.ts";
import { OPERATOR } from "../../model/session.ts";
import { removePerson as remove, unlinkIdentity as unlink } from "../../overview/change-people.ts";
import { peopleDocument } from "../../overview/people.ts";
import type { Output } from "../../terminal/output.ts";
import type { CliContext } from "../context.ts";
import { findKept } from "./find-entry.ts";
import { isMeant } from "./is-meant.ts";
import { lostText } from "./lost-text.ts";

interface Asked {
  readonly yes?: boolean;
}

/** `hermes people remove` */
export async function removePerson(
  { output, withHost }: CliContext,
  reference: string,
  { yes = false }: Asked,
): Promise<number> {
  return withHost(
    async (host) => {
      const { person, entry } = await findKept(host, reference);
      if (person.id === OPERATOR) throw new HermesError("PERSON_IS_TERMINAL", {});
      const accounts = person.identities.map((one) => `${accountName(one)} ${one.key}`).join(", ");
      const linked = accounts === "" ? "" : ` ${accounts} will be nobody's.`;
      const passes =
        entry.passes === 0
          ? ""
          : ` ${entry.passes === 1 ? "A pass" : `${entry.passes} passes`} of theirs will be revoked.`;
      const kept = entry.sessions === 0 ? "" : ` Their ${count(entry.sessions, "session")} will be yours alone to see.`;
      if (!yes && !(await isMeant(output, `Remove ${person.name}?${linked}${passes}${kept}`, "remove"))) return 1;
      const removed = await remove(host.store, person.id);
      output.document(removed);
      output.line(`${person.name} is removed.`);
      const lost = lostText(removed.lost);
      if (lost !== "") output.line(lost);
      await noteWhatIsLeft(host, output, person.identities);
      return 0;
    },
    { needsConfig: false },
  );
}

/** `hermes people unlink` */
export async function unlinkIdentity(
  { output, withHost }: CliContext,
  account: string,
  id: string,
  { yes = false }: Asked,
): Promise<number> {
  return withHost(
    async (host) => {
      const { people, identities } = host.store;
      const [platform = "", ...rest] = account.split(":");
      const scope = { platform, account: rest.length === 0 ? undefined : rest.join(":") };
      const key = (await identities.holder(scope, id))?.key ?? id;
      const person = await people.of(scope, key);
      if (person === null) throw new HermesError("PERSON_NOT_LINKED", { id, account });
      const who = person.id === OPERATOR ? "you" : person.name;
      if (!yes && !(await isMeant(output, `Is ${id} of ${account} no longer ${who}?`, "unlink"))) return 1;
      const unlinked = await unlink(host.store, { platform, account: scope.account ?? null, key });
      output.document(unlinked);
      output.line(`${id} of ${account} is not ${who} any more.`);
      output.line(lostText(unlinked.lost));
      await noteWhatIsLeft(host, output, [{ ...scope, key }]);
      return 0;
    },
    { needsConfig: false },
  );
}

/** What the config and the home channel grant is not taken away here. */
async function noteWhatIsLeft(
  { store, config }: Host,
  output: Output,
  identities: readonly IdentityKey[],
): Promise<void> {
  const { people } = await peopleDocument(store, config);
  for (const identity of identities) {
    const { platform, account, key } = identity;
    const rights = people
      .filter(({ identities: own }) =>
        own.some((one) => one.platform === platform && one.account === (account ?? null) && one.key === key),
      )
      // What the person has at other accounts is not this one's.
      .flatMap((person) => person.rights.filter(({ on }) => on === accountName(identity)));
    for (const { grants, on, words, takenBackBy } of rights) {
      output.note(`${key} is still ${grants} on ${on}, by ${words}. ${takenBackBy}`);
    }
  }
}
