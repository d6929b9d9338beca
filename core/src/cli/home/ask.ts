import type { Host } from "../../host/host.ts";
import { isChanged, isUnsettled } from "../../model/home-notice.ts";
import type { HomePerson } from "../../model/home-person.ts";
import type { Output } from "../../terminal/output.ts";
import { isYes } from "../confirm.ts";
import { noticeOf, operatorsOf } from "./list.ts";
import { operatorQuestion } from "./operator.ts";

type Ask = (question: string) => Promise<string | null>;

/**
 * Tells what is to be known of the home channels, once each, and asks who is the operator in one where that is not
 * recorded. `ask` is null where nobody can be asked: then it is told what to do.
 */
export async function askAboutHomes(host: Host, output: Output, ask: Ask | null): Promise<void> {
  try {
    for (const home of await host.store.homePeople.list())
      if (isNews(host, home)) await settle(host, output, ask, home);
  } catch (error) {
    // The store may be busy; whoever sits here is asked the next time.
    host.logger.warn({ error }, "could not look at the home channels");
  }
}

async function settle(host: Host, output: Output, ask: Ask | null, home: HomePerson): Promise<void> {
  const { homePeople } = host.store;
  const notice = noticeOf(host, home);
  if (notice !== null) output.note(notice);
  if (ask === null) return;
  const [only, ...others] = home.present;
  const isAsked = home.person === null && only !== undefined && others.length === 0;
  const answer = isAsked ? await ask(`${operatorQuestion(home, only)} (y/n)`) : null;
  if (isAsked && isYes(answer)) {
    await homePeople.set(home, only, "terminal");
    output.note("They are the operator there from now on. `hermes home` shows it.");
  } else {
    await homePeople.told(home);
  }
}

function isNews(host: Host, home: HomePerson): boolean {
  if (isChanged(home)) return JSON.stringify(home.told) !== JSON.stringify(home.present);
  return home.told === null && isUnsettled(home, operatorsOf(host, home));
}
