import { PAGE_SCRIPT } from "./page-script.ts";
import { PAGE_STYLE } from "./page-style.ts";

/** The headers of every answer of the console. */
export const SECURE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; " +
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Emulator</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="page.css">
<script src="page.js" defer></script>
<body>
<header><h1 id="platform">Emulator</h1><p id="state" role="status">Connecting …</p></header>
<nav id="places" aria-label="Chats and threads"></nav>
<main>
  <ol id="messages" aria-label="Messages" tabindex="0"></ol>
  <p id="problem" role="alert" hidden></p>
  <form id="composer">
    <label>As <input id="person" autocomplete="off" placeholder="the platform's own person" size="18"></label>
    <label><input id="mentions" type="checkbox"> mention the bot</label>
    <textarea id="text" rows="2" aria-label="Message" placeholder="Write as a person; Enter sends"></textarea>
    <label>Files <input id="files" type="file" multiple></label>
    <button>Send</button>
  </form>
  <details id="failing">
    <summary>What can be made to fail</summary>
    <p>Send one of these to <code>POST /_emulator/fail</code>, and <code>POST /_emulator/heal</code> takes all of them back.</p>
    <ul id="failures"></ul>
  </details>
</main>
</body>
</html>
`;

interface PageFile {
  readonly type: string;
  readonly body: string;
}

/** The page's files, by their name below the console's path. */
export const PAGE_FILES: Readonly<Record<string, PageFile | undefined>> = {
  "": { type: "text/html; charset=utf-8", body: PAGE },
  "page.js": { type: "text/javascript; charset=utf-8", body: PAGE_SCRIPT },
  "page.css": { type: "text/css; charset=utf-8", body: PAGE_STYLE },
};
