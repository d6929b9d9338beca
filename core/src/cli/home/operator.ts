import { HermesError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import { nameOfHome } from "../../model/home-notice.ts";
import type { HomePerson } from "../../model/home-person.ts";
import { accountName } from "../../model/identity.ts";
import { confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { document } from "./list.ts";

/** `hermes home operator`: records a person, replacing the one before. */
export async function setHomeOperator(
  { io, output, withHost }: CliContext,
  account: string,
  id: string,
  { yes = false }: { readonly yes?: boolean },
): Promise<number> {
  return withHost(async (host) => {
    const home = await homeOf(host, account);
    if (!yes) {
      if (!io.isInteractive || output.json) throw usage(`This needs your confirmation: pass \`--yes\``);
      const isMeant = await confirm(output, operatorQuestion(home, id));
      if (!isMeant) {
        output.line("Nothing was changed.");
        return 1;
      }
    }
    const set = await host.store.homePeople.set(home, id, "terminal");
    output.document(document(set));
    output.line(`${set.person} is the operator in ${nameOfHome(set)} of ${accountName(set)} from now on.`);
    return 0;
  });
}

/** Asks whether somebody is to be the operator in a home channel. */
export function operatorQuestion(home: HomePerson, id: string): string {
  const isThere = home.present.includes(id) ? "" : " (who is not there, according to the platform)";
  return `Is ${id}${isThere} you? As the operator in ${nameOfHome(home)} of ${accountName(home)} they see every session and may do all that you may.`;
}

/** The home channel of an account: where there were several, the one that a gateway serves, else the latest. */
async function homeOf({ store }: Host, account: string): Promise<HomePerson> {
  const homes = (await store.homePeople.list()).filter((home) => accountName(home) === account && home.isPrivate);
  const served = (await store.gateways.alive()).flatMap(({ platforms }) => platforms.map(({ home }) => home?.key));
  const found = homes.find(({ chat }) => served.includes(chat)) ?? homes.at(-1);
  if (found) return found;
  throw usage(`No private home channel of ${account} is known; a gateway records one when it serves it`);
}

function usage(reason: string): HermesError {
  return new HermesError("USAGE", { reason, command: "hermes home" });
}
