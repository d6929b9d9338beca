import { expect, it } from "vitest";
import type { SessionId } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import { TurnTranscript } from "./turn-transcript.ts";

it("a long transcript is read once, and then what was added to it", async () => {
  const id = "ses_1" as SessionId;
  const stored: TranscriptMessage[] = [];
  const say = (text: string) =>
    stored.push({
      ...{ sessionId: id, seq: stored.length + 1, turnId: null, role: "user", text },
      ...{ internal: false, surface: null, createdAt: 0 },
    });
  let rows = 0;
  const read = async (_: SessionId, { after = 0 }: { readonly after?: number } = {}) => {
    const found = stored.filter(({ seq }) => seq > after);
    rows += found.length;
    return found;
  };
  const transcript = new TurnTranscript(
    { transcripts: { read }, compactions: { latest: async () => null } },
    id,
    1_000_000,
  );
  for (let i = 0; i < 100; i++) say(`before ${i}`);
  const first = await transcript.read();
  say("new");
  expect((await transcript.read()).map(({ text }) => text)).toEqual(stored.map(({ text }) => text));
  expect(await transcript.read()).toEqual(stored);
  expect(first).toHaveLength(100);
  expect(rows).toBe(101);
});
