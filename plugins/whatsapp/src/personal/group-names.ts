import type { WASocket } from "@whiskeysockets/baileys";

/** What groups are called, as far as it has been told in passing: nobody is asked for a name. */
export class GroupNames {
  readonly #names = new Map<string, string>();

  listen({ ev }: WASocket): void {
    const note = (groups: readonly { readonly id?: string; readonly subject?: string | null }[]) => {
      for (const { id, subject } of groups) if (id && subject) this.#names.set(id, subject);
    };
    ev.on("groups.upsert", note);
    ev.on("groups.update", note);
  }

  get(groupId: string): string | undefined {
    return this.#names.get(groupId);
  }
}
