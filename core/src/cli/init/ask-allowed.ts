import { optionsInConfig } from "./ask-options.ts";
import type { DraftPlatform, Init } from "./draft.ts";

/** Settles who may talk to the agent: by flags, else by a question; only the person in the home channel by default. */
export async function askAllowed(init: Init, draft: DraftPlatform): Promise<DraftPlatform> {
  const { flags, asking } = init;
  const { platform, title } = draft.plugin;
  const given = [...(flags.allowed.get(platform) ?? []), ...(flags.allowed.get("") ?? [])];
  if (given.length > 0) return allowing(draft, given);
  if (asking === null) return draft;
  const { output } = asking;
  const now = listOf({ ...optionsInConfig(init, platform), ...draft.options });
  const who = await asking.choose(`Who may talk to it on ${title}?`, [
    ...(now.length > 0 ? [{ value: "same" as const, name: "as now", facts: now.join(", ") }] : []),
    { value: "me" as const, name: "only me", facts: "the person in the home channel" },
    { value: "some" as const, name: "some people", facts: "by their ids" },
    { value: "all" as const, name: "everybody", facts: "anyone who finds it uses your model at your cost" },
  ]);
  if (who === "same") return draft;
  if (who === "me") return now.length > 0 ? allowing(draft, []) : draft;
  if (who === "some") {
    const ids = (await asking.text("Their ids, with spaces between them:")).split(/[\s,]+/).filter((id) => id !== "");
    return allowing(draft, ids);
  }
  output.line(output.colors.yellow(`Everybody who finds it on ${title} may ask your model anything.`));
  return (await asking.yes("Is that intended?", false)) ? allowing(draft, ["*"]) : draft;
}

function allowing(draft: DraftPlatform, allowedUsers: readonly string[]): DraftPlatform {
  return { ...draft, options: { ...draft.options, allowedUsers } };
}

function listOf({ allowedUsers }: Readonly<Record<string, unknown>>): readonly string[] {
  return Array.isArray(allowedUsers) ? allowedUsers.map(String) : [];
}
