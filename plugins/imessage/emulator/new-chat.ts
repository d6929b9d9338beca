import type { Fields } from "./fields.ts";
import { badRequest, imessageError, serverError } from "./refusal.ts";
import type { Chat, Row, Service } from "./rows.ts";
import { send } from "./sending.ts";
import { chatJson, messageJson } from "./serialize.ts";
import type { World } from "./world.ts";

/** `POST chat/new`: a message to people who were never written to. A script can write to one of them only. */
export async function newChat(world: World, fields: Fields): Promise<unknown> {
  const addresses = fields.list("addresses").map(String);
  if (addresses.length === 0) throw badRequest("The addresses field is required.");
  const method = fields.oneOf("method", ["apple-script", "private-api"]) ?? "apple-script";
  const service = (fields.oneOf("service", ["iMessage", "SMS"]) ?? "iMessage") as Service;
  const text = fields.text("message") ?? "";
  const tempGuid = fields.text("tempGuid") ?? "";
  if (method === "apple-script" && addresses.length > 1) {
    throw serverError("Cannot create group chats on macOS Big Sur or newer!");
  }
  if (text === "") throw serverError("A message is required when creating chats on macOS Big Sur or newer!");
  const { privateApi, helperConnected } = world.mac.state;
  if (method === "private-api" && !(privateApi && helperConnected)) {
    throw imessageError("iMessage has encountered an error", "iMessage Private API is not enabled!");
  }
  const chat = chatWith(world, addresses, service);
  const row = await send(world, {
    ...{ what: "Message", chatGuid: chat.guid, tempGuid, values: { text } },
    method: method === "private-api" ? "private-api" : "apple-script",
  });
  return {
    message: "Successfully created chat!",
    data: { ...chatJson(chat, { participants: true }), messages: [told(row, tempGuid)] },
  };
}

function told(row: Row, tempGuid: string): Record<string, unknown> {
  return { ...messageJson(row), ...(tempGuid === "" ? {} : { tempGuid }) };
}

function chatWith({ database }: World, addresses: readonly string[], service: Service): Chat {
  const handles = addresses.map((address) => database.handle(address, service));
  const [first] = handles;
  if (first !== undefined && handles.length === 1) return database.privateChat(first);
  return database.group(`chat${database.chats.length}${database.now}`, "", handles);
}
