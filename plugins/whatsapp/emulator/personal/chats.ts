/** The chats that are there from the start. `self` is the account's own chat, “Message yourself”. */
export const PERSONAL_CHATS = {
  self: "491700000100",
  ada: "491700000101",
  bob: "491700000102",
  group: "120363000000000001@g.us",
  otherGroup: "120363000000000002@g.us",
} as const;
