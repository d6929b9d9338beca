import type { SetupWay } from "../../plugin/plugin-setup.ts";
import type { Asking } from "./asking.ts";
import type { KnownPlatform } from "./catalogue.ts";
import type { Init } from "./draft.ts";
import { initUsage } from "./flags.ts";

/** Settles which account is meant of a platform of which the config has several: by `--set`, else by a question. */
export async function askAccount(init: Init, { platform, title }: KnownPlatform): Promise<void> {
  const { config, draft, flags, asking } = init;
  const there = config.plugins.filter(({ descriptor }) => descriptor.platform === platform);
  if (there.length < 2) return;
  const names = there.map(({ options }) => options.account ?? null);
  const given = flags.options.get(platform)?.account;
  if (given !== undefined) draft.accounts.set(platform, given);
  else if (asking !== null) draft.accounts.set(platform, await chosen(asking, title, names));
  else {
    const said = names.map((name) => name ?? "one without a name").join(", ");
    throw initUsage(`${title} has several accounts (${said}): say which with --set ${platform}.account=<name>`);
  }
}

async function chosen(asking: Asking, title: string, names: readonly (string | null)[]): Promise<string | null> {
  const isAnother = Symbol("another");
  const choice = await asking.choose<string | null | typeof isAnother>(`Which account of ${title}?`, [
    ...names.map((name) => ({ value: name, name: name ?? "without a name" })),
    { value: isAnother, name: "another", facts: "add one" },
  ]);
  if (typeof choice !== "symbol") return choice;
  for (;;) {
    const name = await asking.text("A short name for it, such as work:");
    if (/^[a-z\d][\w-]*$/i.test(name) && !names.includes(name)) return name;
    asking.output.line("Letters, digits and dashes, and none of the names that are there.");
  }
}

/** A way whose secrets are in variables of that account, beside those of the others. */
export function wayOfAccount(way: SetupWay, account: string): SetupWay {
  const suffix = account.toUpperCase().replaceAll(/[^A-Z\d]/g, "_");
  const questions = way.questions.map((question) =>
    question.variable === undefined ? question : { ...question, variable: `${question.variable}_${suffix}` },
  );
  return { ...way, questions };
}
