import type { Host } from "../../host/host.ts";
import { homeNotice, nameOfHome } from "../../model/home-notice.ts";
import type { HomePerson } from "../../model/home-person.ts";
import { accountName } from "../../model/identity.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";

/** `hermes home` */
export async function listHomes({ output, withHost }: CliContext): Promise<undefined> {
  await withHost(async (host) => {
    const homes = await host.store.homePeople.list();
    output.document({ homes: homes.map((home) => ({ ...document(home), notice: noticeOf(host, home) })) });
    if (homes.length === 0) output.line("No home channel is known yet: a gateway records one when it serves it.");
    for (const home of homes) {
      const operator = !home.isPrivate ? "not a private chat" : `operator: ${home.person ?? "nobody"}`;
      output.line(`${accountName(home)}  ${nameOfHome(home)}  ${operator} (${saidBy(home)})`);
      const notice = noticeOf(host, home);
      if (notice !== null) output.line(styled`  ${output.colors.yellow(notice)}`);
    }
  });
}

/** The warning about a home channel; null if all is well. */
export function noticeOf(host: Host, home: HomePerson): string | null {
  return homeNotice(home, operatorsOf(host, home));
}

/** Those whom the config names for a home channel's account. */
export function operatorsOf({ config }: Host, { platform, account }: HomePerson): readonly string[] {
  const plugin = config.plugins.find(
    ({ descriptor, options }) => descriptor.platform === platform && options.account === account,
  );
  return plugin?.options.operators ?? [];
}

export function document({ platform, account, home, name, isPrivate, person, since, word, present }: HomePerson) {
  return { platform, account: account ?? null, home, name, isPrivate, operator: person, since, word, present };
}

function saidBy({ word }: HomePerson): string {
  switch (word) {
    case "platform":
      return "reported by the platform";
    case "sethome":
      return "by /sethome";
    case "terminal":
      return "said in the terminal";
  }
}
