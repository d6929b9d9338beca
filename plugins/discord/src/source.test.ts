import { ChannelType } from "discord.js";
import { expect, it } from "vitest";
import { conversationIn } from "./source.ts";

it("direct messages are private, and those of several people are a group", () => {
  const channel = { id: "234567890123456789", guildId: null, name: null, parentId: null };
  expect(conversationIn({ ...channel, type: ChannelType.DM }).kind).toBe("dm");
  expect(conversationIn({ ...channel, type: ChannelType.GroupDM }).kind).toBe("group");
});
