import type { EmulatedInbound, Emulator } from "@hermes/emulator";
import type { HermesMachine } from "../../../e2e/support/hermes-process.ts";

/** Where somebody writes. */
export type Writer = Omit<EmulatedInbound, "text">;

/** A platform on this machine, with a private chat that is the home channel. */
export interface EmulatedPlatform {
  readonly platform: string;
  readonly emulator: Emulator;
  /** The plugin's options besides those of the emulator. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The private chat. */
  readonly direct: Writer;
  /** How a person begins a new session there; the message stands behind it. */
  readonly begin: string;
  /** What has to be done on a machine before its gateway can start. */
  prepare?(machine: HermesMachine): Promise<void>;
  /** Places that are a conversation each. A gateway listens already, and may have turns because of it. */
  openPlaces(count: number): Promise<readonly Writer[]>;
}

/** The entry of a gateway's config that has it serve the platform. */
export function pluginFor({ platform, emulator, options }: EmulatedPlatform): [name: string, options: object] {
  return [`@hermes/plugin-${platform}`, { ...emulator.options, ...options }];
}

/** Everybody may write, in a group too, and mentions nobody. */
export const OPEN_TO_ALL = { allowedUsers: ["*"], requireMention: false };

export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/** Lets people write in private for the first time: each has a chat from then on, whose id is the person's. */
export async function meet(emulator: Emulator, chatId: string, userIds: readonly string[]): Promise<Writer[]> {
  for (const userId of userIds) await emulator.receive({ chatId, userId, text: "Hello" });
  return userIds.map((userId) => ({ chatId: userId }));
}
