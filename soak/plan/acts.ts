/** The platforms, as the table and the tokens name them. WhatsApp has two transports that share no code on the wire. */
export const PLATFORMS = {
  telegram: "tg",
  discord: "dc",
  slack: "sl",
  "whatsapp cloud": "wc",
  "whatsapp personal": "wp",
  signal: "si",
  imessage: "im",
  matrix: "mx",
  web: "wb",
} as const;

export type PlatformName = keyof typeof PLATFORMS;

export const PLATFORM_NAMES = Object.keys(PLATFORMS) as readonly PlatformName[];

/** How the scripted model answers a message. */
export interface Shape {
  /** Each carries a mark of its own, so that a part which is shown twice or not at all is noticed. */
  readonly paragraphs: number;
  /** How long the answer stands still behind its first words, in milliseconds. */
  readonly holdMs: number;
}

/** Something that happens at a time: milliseconds since the beginning of the run. */
export type Act = { readonly at: number } & (
  | {
      readonly does: "write";
      readonly platform: PlatformName;
      /** Which of the places that are there then: the number is taken modulo theirs. */
      readonly place: number;
      readonly token: string;
      readonly shape: Shape;
      /** Where several people can write: by one who has never written before. */
      readonly byNewcomer: boolean;
    }
  /** A person begins a new session at a place. */
  | { readonly does: "renew"; readonly platform: PlatformName; readonly place: number }
  /** A terminal asks something, and hands the session off. */
  | {
      readonly does: "hand-off";
      readonly platform: PlatformName;
      readonly asked: string;
      readonly token: string;
      readonly shape: Shape;
    }
  /** kill -9, and a new process after a while. */
  | { readonly does: "kill"; readonly who: Who; readonly forMs: number }
  /** SIGSTOP, and SIGCONT after a while. */
  | { readonly does: "freeze"; readonly who: Who; readonly forMs: number }
  /** Both gateways are gone for longer than platforms repeat an event that nobody takes. */
  | { readonly does: "leave"; readonly forMs: number }
  /** Another program holds the store's write lock. */
  | { readonly does: "lock"; readonly forMs: number }
  /** No byte more can be written in Hermes' home. */
  | { readonly does: "fill"; readonly forMs: number }
  /** What the platform does to the next calls, events or threads: the number picks from the platform's own list. */
  | { readonly does: "trouble"; readonly platform: PlatformName; readonly which: number; readonly place: number }
);

export type Who = "serving" | "standby" | "both";

/** A run that can be made again: everything of it is drawn from the seed. */
export interface Plan {
  readonly seed: number;
  readonly durationMs: number;
  readonly acts: readonly Act[];
}
