/**
 * The script of the console's page: it polls chats and messages once a second, and writes as a person. It is a string,
 * since the build handles only TypeScript files. Text from the platform is never parsed as HTML.
 */
export const PAGE_SCRIPT = `"use strict";
const EVERY_MS = 1000;
const at = (id) => document.getElementById(id);
let place = null;
let known = "";
let messagesKnown = "";

function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

async function ask(path, body) {
  const options = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(path, options);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

function placeButton(label, detail, where, className) {
  const button = element("button", className, label, " ", element("small", "", detail));
  button.type = "button";
  const isHere = place && place.chatId === where.chatId && place.threadId === where.threadId;
  button.setAttribute("aria-current", String(Boolean(isHere)));
  button.addEventListener("click", () => {
    place = where;
    known = messagesKnown = "";
    refresh();
  });
  return button;
}

function showPlaces(state) {
  document.title = at("platform").textContent = "Emulator of " + state.platform;
  at("state").textContent = state.isConnected ? "A client is connected." : "No client is connected.";
  place ??= state.chats.length > 0 ? { chatId: state.chats[0].id } : null;
  const text = JSON.stringify([state.chats, place]);
  if (text === known) return;
  known = text;
  const focused = [...at("places").children].indexOf(document.activeElement);
  at("places").replaceChildren(
    ...state.chats.flatMap((chat) => [
      placeButton(chat.name, chat.label + ", " + chat.id, { chatId: chat.id }, ""),
      ...chat.threads.map((thread) =>
        placeButton(thread.name, thread.isVisible ? thread.id : thread.id + ", hidden", { chatId: chat.id, threadId: thread.id }, "thread"),
      ),
    ]),
  );
  at("places").children[focused]?.focus();
}

function choiceButton(messageId, label) {
  const button = element("button", "choice", label);
  button.addEventListener("click", () => send("press", { messageId, label }, "It was not pressed: "));
  return button;
}

function sizeText(bytes) {
  return bytes < 1000000 ? Math.ceil(bytes / 1000) + " KB" : (bytes / 1000000).toFixed(1) + " MB";
}

// A file that the bot sent: a picture is shown, and a link opens or saves it.
function fileLink({ name, mediaType, size, isPicture, url }) {
  const link = element("a", "", name, " ", element("small", "", sizeText(size) + ", " + mediaType));
  link.href = url;
  if (!isPicture) link.download = name;
  else {
    const picture = element("img", "");
    picture.src = url;
    picture.alt = "";
    link.target = "_blank";
    link.append(picture);
  }
  return link;
}

function showMessages(messages) {
  const text = JSON.stringify(messages);
  if (text === messagesKnown) return;
  messagesKnown = text;
  const list = at("messages");
  const wasAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 40;
  list.replaceChildren(
    ...messages.map(({ id, author, text, isEdited, fileNames, files = [], choices = [] }) => {
      const named = files.length > 0 ? [] : fileNames;
      const about = [author === "bot" ? "Bot" : author, id, ...(isEdited ? ["edited"] : []), ...named].join(" · ");
      const below = [...files.map(fileLink), ...choices.map((label) => choiceButton(id, label))];
      return element("li", author === "bot" ? "bot" : "", element("small", "", about), element("p", "", text), ...below);
    }),
  );
  if (wasAtEnd) list.scrollTop = list.scrollHeight;
}

function say(problem) {
  at("problem").textContent = problem;
  at("problem").hidden = problem === "";
}

async function refresh() {
  try {
    showPlaces(await ask("chats"));
    if (place === null) return;
    const asked = place;
    const { messages } = await ask("messages?" + new URLSearchParams(asked));
    if (asked === place) showMessages(messages);
  } catch (error) {
    at("state").textContent = "The emulator does not answer: " + error.message;
  }
}

// Does something as the person that is named, in the place that is shown.
async function send(path, body, failed) {
  const userId = at("person").value.trim();
  try {
    await ask(path, { ...place, ...body, ...(userId ? { userId } : {}) });
    say("");
    return true;
  } catch (error) {
    say(failed + error.message);
    return false;
  } finally {
    await refresh();
  }
}

function asBase64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

async function chosenFiles() {
  const files = [...at("files").files];
  return Promise.all(
    files.map(async (file) => ({
      name: file.name,
      mediaType: file.type || "application/octet-stream",
      ...(file.size === 0 ? { content: "" } : { base64: await asBase64(file) }),
    })),
  );
}

async function write(event) {
  event?.preventDefault();
  const text = at("text").value;
  if ((text.trim() === "" && at("files").files.length === 0) || place === null) return;
  const files = await chosenFiles().catch((error) => say("A file could not be read: " + error.message));
  if (files === undefined) return;
  const body = { text, mentions: at("mentions").checked, ...(files.length > 0 ? { files } : {}) };
  if (!(await send("receive", body, "It was not written: "))) return;
  at("text").value = "";
  at("files").value = "";
}

at("composer").addEventListener("submit", write);
at("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) write(event);
});

async function showFailures() {
  const { failures } = await ask("failures");
  at("failures").replaceChildren(
    ...failures.map(({ is, code, operations, description }) => {
      const kind = { is, ...(code === undefined ? {} : { code }), ...(is === "rate-limit" ? { retryAfterMs: 1000 } : {}) };
      const body = JSON.stringify({ operation: operations[0], kind });
      const others = operations.length > 1 ? " Also of " + operations.slice(1).join(", ") + "." : "";
      return element("li", "", element("code", "", body), " ", description + others);
    }),
  );
}
at("failing").addEventListener("toggle", () => showFailures().catch((error) => say(error.message)), { once: true });

async function follow() {
  await refresh();
  setTimeout(follow, EVERY_MS);
}
follow();
`;
