import { gate, PNG_FILE } from "@hermes/testing";
import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, expect, it } from "vitest";
import type { Attachment, Download } from "../../adapter/message.ts";

afterEach(disposeMachines);

const CAT = "The file “cat.png” could not be fetched and was not read. You can send it again.";

function sent(name: string, download: Download): Attachment {
  return { name, mediaType: "image/png", size: PNG_FILE.length, download };
}

const broken: Download = async () => new Response("", { status: 404 });

/** A chat with a gateway, and what the model was asked there. */
async function chat(script: Parameters<typeof machine>[1] = ["One."]) {
  const on = machine({ operators: ["person"] }, script);
  await on.gateway();
  return { ...on, asked: () => on.model.requests.map(({ messages }) => messages.at(-1)?.text) };
}

it("a person is told once that a file could not be fetched, and the model knows it", async () => {
  const on = await chat();
  const attachments = [sent("cat.png", broken), sent("dog.png", async () => PNG_FILE)];
  for (let times = 0; times < 2; times++) await on.platform.write("See this", { messageId: "1", attachments });
  await on.until(() => on.platform.textsIn("home").includes("One."));
  await on.clock.advance(5_000);
  expect(on.platform.textsIn("home")).toEqual([CAT, "One."]);
  expect(on.asked()).toEqual([expect.stringMatching(/"cat.png".*, could not be fetched, which its sender is told⟧/)]);
  expect(on.asked().join()).not.toMatch(/"dog.png"[^⟧]*could not/);
});

it("all files of a message that could not be fetched are told in one sentence", async () => {
  const on = await chat();
  await on.platform.write("/status", { attachments: [sent("cat.png", broken), sent("dog.png", broken)] });
  const both = "These files “cat.png”, “dog.png” could not be fetched and were not read. You can send them again.";
  await on.until(() => on.platform.textsIn("home").includes(both));
});

it("a file above a platform's limit is not fetched, and all are told the limit", async () => {
  const on = await chat();
  let asked = 0;
  const download = async () => {
    asked++;
    return PNG_FILE;
  };
  const large = { ...sent("plan.pdf", download), size: 21 * 1024 ** 2, largest: 20 * 1024 ** 2 };
  await on.platform.write("See these", { attachments: [large, sent("cat.png", broken)] });
  await on.until(() => on.platform.textsIn("home").includes("One."));
  const tooLarge =
    "The file “plan.pdf” is larger than 20.0 MB, the most that can be read here, and was not read. You can send a smaller one.";
  expect(on.platform.textsIn("home")).toEqual([`${tooLarge}\n\n${CAT}`, "One."]);
  expect(on.asked().join()).toContain(
    '"plan.pdf", image/png, 22020096 bytes, larger than 20.0 MB, the most that can be read here, which its sender is told⟧',
  );
  expect(asked).toBe(0);
});

it("a person who edits a message whose file is lost is not told again", async () => {
  const held = gate();
  const on = await chat([[{ hold: held }], "Two."]);
  await on.platform.write("Wait for it.");
  await held.reached;
  const attachments = [sent("cat.png", broken)];
  await on.platform.write("See", { messageId: "2", attachments });
  await on.platform.write("See this", { messageId: "2", attachments, isEdit: true });
  held.open();
  await on.until(() => on.platform.textsIn("home").includes("Two."));
  expect(on.platform.textsIn("home").filter((text) => text === CAT)).toHaveLength(1);
});
