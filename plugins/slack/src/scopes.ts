/** What the app may do in its workspace; manifest.json asks for the same, and a test holds the two together. */
export const SCOPES: readonly string[] = [
  "app_mentions:read",
  "channels:history",
  "channels:read",
  "chat:write",
  "commands",
  "files:read",
  "files:write",
  "groups:history",
  "groups:read",
  "im:history",
  "im:read",
  "mpim:history",
  "mpim:read",
  "users:read",
];
