import { expect, test } from "vitest";
import type { SessionId } from "../../model/session.ts";
import type { TranscriptMessage } from "../../model/transcript.ts";
import { KeptTranscripts } from "./kept-transcripts.ts";

const [ONE, OTHER] = ["ses_one" as SessionId, "ses_other" as SessionId];

function read(length: number, count = 20) {
  return { after: 0, edition: "1", messages: new Array<TranscriptMessage>(count), length };
}

test("the transcript that was used longest ago makes room for others", () => {
  const kept = new KeptTranscripts();
  kept.set(ONE, read(600_000));
  kept.set(OTHER, read(300_000));
  kept.set(OTHER, read(500_000));
  expect(kept.get(ONE, 0, "1")).toBeNull();
  expect(kept.get(OTHER, 0, "1")).not.toBeNull();
  kept.set(ONE, read(300_000));
  expect([ONE, OTHER].map((id) => kept.get(id, 0, "1")?.length)).toEqual([300_000, 500_000]);
});

test("a transcript is kept unless it is longer than all the room, or short", () => {
  const kept = new KeptTranscripts();
  kept.set(ONE, read(600_000));
  kept.set(OTHER, read(2_000_000));
  kept.set(OTHER, read(10, 2));
  expect(kept.get(OTHER, 0, "1")).toBeNull();
  expect(kept.get(ONE, 0, "1")).not.toBeNull();
});

test("nothing is kept of a transcript that may have changed", () => {
  const kept = new KeptTranscripts();
  kept.set(ONE, read(10));
  expect(kept.get(ONE, 0, "2")).toBeNull();
  expect(kept.get(ONE, 4, "1")).toBeNull();
});
