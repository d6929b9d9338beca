import { askAccount } from "./ask-account.ts";
import { askForModel } from "./ask-for-model.ts";
import { optionsInConfig } from "./ask-options.ts";
import { askPlatform, type Part } from "./ask-platform.ts";
import type { Asking } from "./asking.ts";
import { type KnownPlatform, platformNamed } from "./catalogue.ts";
import type { Init } from "./draft.ts";
import type { PluginShelf } from "./obtain-plugin.ts";

/** A set-up that is there: changes what the flags say, or what the person asks for. */
export async function changeSetup(init: Init, shelf: PluginShelf, known: readonly KnownPlatform[]): Promise<void> {
  const { flags, asking } = init;
  const byFlags = flags.platforms.map(({ platform, way }) => ({ known: platformNamed(platform, known), way }));
  if (flags.model !== null) await askForModel(init);
  for (const { known: platform, way } of byFlags) {
    await askAccount(init, platform);
    await askPlatform(init, shelf, platform, { way });
  }
  if (asking !== null && flags.model === null && byFlags.length === 0) await askWhat(init, asking, shelf, known);
}

type Change =
  | { readonly kind: "done" }
  | { readonly kind: "model" }
  | { readonly kind: "platform"; readonly known: KnownPlatform };

async function askWhat(init: Init, asking: Asking, shelf: PluginShelf, known: readonly KnownPlatform[]): Promise<void> {
  const { config, draft } = init;
  for (;;) {
    const there = new Set([
      ...config.plugins.map(({ descriptor }) => descriptor.platform),
      ...[...draft.platforms.values()].map(({ plugin }) => plugin.platform),
    ]);
    const platforms = known.map((one) => {
      const isThere = there.has(one.platform);
      const facts = isThere ? "change its account, home channel, or who may talk" : `add it: ${one.summary}`;
      return { value: { kind: "platform", known: one } as Change, name: one.platform, facts };
    });
    const model = draft.model ?? config.model ?? "none";
    asking.output.line();
    const change = await asking.choose<Change>("What do you want to change?", [
      { value: { kind: "done" }, name: "done", facts: "continue with these answers" },
      { value: { kind: "model" }, name: "model", facts: `now ${model}` },
      ...platforms.filter(({ name }) => there.has(name)),
      ...platforms.filter(({ name }) => !there.has(name)),
    ]);
    if (change.kind === "done") return;
    if (change.kind === "model") await askForModel(init);
    else {
      await askAccount(init, change.known);
      await askPlatform(init, shelf, change.known, { part: await partOf(init, asking, change.known, there) });
    }
  }
}

/** A platform that is there is changed in one of its parts. */
function partOf(
  init: Init,
  asking: Asking,
  { platform, title }: KnownPlatform,
  there: ReadonlySet<string>,
): Promise<Part> {
  const isNewAccount = init.draft.accounts.has(platform) && optionsInConfig(init, platform) === null;
  if (!there.has(platform) || isNewAccount) return Promise.resolve("all");
  return asking.choose<Part>(`What do you want to change about ${title}?`, [
    { value: "account", name: "account", facts: "its token, or what else it is reached with" },
    { value: "home", name: "home channel", facts: "by a one-time word" },
    { value: "people", name: "people", facts: "who may talk to it" },
  ]);
}
