import { describe, expect, it } from "vitest";
import { EventReader } from "./event-stream.ts";

/** What is read from a stream that comes in pieces of `size` bytes. */
function read(stream: string, size = stream.length) {
  const reader = new EventReader();
  const bytes = Buffer.from(stream);
  const events = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...reader.read(bytes.subarray(at, at + size)));
  return events;
}

describe("the stream of events", () => {
  const stream = 'id:17-1\nevent:receive\ndata:{"text":"Grüße 👋"}\n\n:\nid:17-2\nevent:receive\ndata:{}\n\n';
  const events = [
    { id: "17-1", data: '{"text":"Grüße 👋"}' },
    { id: "17-2", data: "{}" },
  ];

  it.each([1, 2, 3, 7, 1000])("the event stream is read from pieces of %i bytes", (size) => {
    expect(read(stream, size)).toEqual(events);
  });

  it("the event stream is read with line ends of every kind", () => {
    expect(read(stream.replaceAll("\n", "\r\n"), 1)).toEqual(events);
    expect(read(`${stream.replaceAll("\n", "\r")}:\r\r`, 1)).toEqual(events);
  });

  it("events without ids and with several lines of data are read", () => {
    expect(read("data: one\ndata:two\n\n")).toEqual([{ id: null, data: "one\ntwo" }]);
  });

  it("makes no event of a comment, an empty one, or one that is not finished", () => {
    expect(read(":\n\n:keep-alive\n\nid:5\n\ndata:{")).toEqual([]);
  });

  it("the reader gives up an endless event rather than fill the memory", () => {
    const chunk = Buffer.from("<html>".repeat(10_000));
    const endless = () => {
      const reader = new EventReader();
      for (;;) reader.read(chunk);
    };
    expect(endless).toThrow("something without an end");
    expect(() => read("data:half of it\n".repeat(500_000), 60_000)).toThrow("something without an end");
  });
});
