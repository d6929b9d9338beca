import { type PlayableFailure, playable, refusals } from "@hermes/emulator";
import { METHODS } from "./methods.ts";

/** Calls in Hermes' words, and by Slack's own names. */
const CALLS = [
  ...["connect", "send", "edit", "createThread", "deleteThread", "typing", "home"],
  ...["apps.connections.open", ...Object.keys(METHODS)],
];

/** Slack's own codes ("Errors" of each method). */
const REFUSALS = {
  invalid_auth: "The token is wrong.",
  not_authed: "There is no token.",
  not_allowed_token_type: "The token is one of the other kind.",
  account_inactive: "The token's account was removed.",
  token_revoked: "The token was revoked.",
  token_expired: "The token has expired.",
  missing_scope: "The app lacks a scope.",
  channel_not_found: "The bot cannot see the channel.",
  not_in_channel: "The bot is not in the channel.",
  is_archived: "The channel is archived.",
  restricted_action: "A setting of the workspace keeps the app from writing there.",
  restricted_action_read_only_channel: "The channel can only be read.",
  restricted_action_thread_only_channel: "The channel takes answers in threads only.",
  msg_too_long: "The text is longer than a message may be.",
  no_text: "The message has no text.",
  invalid_blocks: "The blocks are refused.",
  invalid_blocks_format: "The blocks are no list.",
  msg_blocks_too_long: "The blocks together are too long.",
  message_not_found: "The message is gone.",
  cant_update_message: "The message is not the app's.",
  cant_delete_message: "The message is not the app's.",
  edit_window_closed: "The message is too old to be changed.",
  thread_not_found: "The thread is gone.",
  message_limit_exceeded: "The workspace has sent more messages than it may.",
  service_unavailable: "Slack is out of order for now.",
  internal_error: "Something in Slack went wrong.",
  fatal_error: "Something in Slack went wrong, perhaps after a part was done.",
  bot_not_found: "There is no such bot.",
  user_not_found: "There is no such person.",
  file_upload_size_restricted: "The workspace takes no files of that size.",
  file_type_not_allowed: "The workspace takes no files of that type.",
  file_uploads_disabled: "The workspace takes no files.",
  file_uploads_except_images_disabled: "The workspace takes no files but pictures.",
  invalid_arguments: "The arguments are refused.",
};

export const FAILURES: readonly PlayableFailure[] = [
  ...playable(["rate-limit", "break", "break-after", "bad-gateway", "drop-answer", "hang", "disconnect"], CALLS),
  ...refusals(REFUSALS, CALLS),
  ...playable(["redeliver", "lose", "out-of-order"], ["deliver"]),
];
