/** What a process under measurement tells the one that forked it. Times are in nanoseconds, of `process.hrtime`. */
export type GatewayNews =
  | { readonly ready: true }
  | {
      readonly asked: readonly { readonly text: string; readonly atNs: string }[];
      /** The processor time that the process has used until now. */
      readonly cpuMicros: number;
    };

export const tell = (news: GatewayNews) => void process.send?.(news);

let asked: { text: string; atNs: string }[] = [];

/** In milliseconds. A message from process to process costs about as much as a write to the store, so many go together. */
const TELL_EVERY_MS = 5;

/** Notes that whoever answers was asked for an answer to `text` just now. */
export function noteAsked(text: string): void {
  const atNs = String(process.hrtime.bigint());
  if (asked.length === 0) {
    setTimeout(() => {
      const { user, system } = process.cpuUsage();
      tell({ asked, cpuMicros: user + system });
      asked = [];
    }, TELL_EVERY_MS);
  }
  asked.push({ text, atNs });
}
