/**
 * Every error that Hermes raises for a person: a stable code, one sentence, one next step, and a command's exit code.
 * `inChat` replaces the next step for people in a chat. `{name}` stands for a field of the error. docs/errors.md
 * repeats this table; a test fails when the two differ.
 */
export const ERROR_TABLE = {
  // config
  CONFIG_NOT_FOUND: entry("No config was found: {tried}.", "Create hermes.config.ts, or name one with --config."),
  CONFIG_UNREADABLE: entry("{file} could not be read: {reason}.", "Fix the file, then run `hermes config check`."),
  CONFIG_NO_EXPORT: entry("{file} exports no config.", "End it with `export default defineConfig(…)`."),
  CONFIG_INVALID: entry("{file}: {key} is {found}; expected {wanted}.", "Fix {key}, then run `hermes config check`."),
  CONFIG_REFUSED: entry("{file}: {key} is {found}: {reason}.", "Fix {key}, then run `hermes config check`."),
  CONFIG_VARIABLE_UNSET: entry(
    "{file}: {key} needs the environment variable {variable}, which is not set.",
    "Set {variable}, or remove {key}.",
  ),
  CONFIG_NOT_TRUSTED: entry(
    "{file} was not loaded: a config is code, and this one does not belong to the running hermes.",
    "If you trust the folder, run `hermes trust` there.",
  ),
  CONFIG_WITHOUT_EFFECT: entry(
    "`{key}` in {file} has no effect any more: operators may hand sessions off from everywhere.",
    "Remove it. `operators` and the home channel decide who is an operator: see docs/migrating.md.",
  ),
  CONFIG_CHANGED: entry(
    "{file} was not loaded: {what} since {folder} was trusted.",
    "Look at it, then run `hermes trust {folder}`; in a terminal, Hermes shows the difference and asks.",
  ),
  ENV_FILE_INVALID: entry(
    "{file} could not be read: {reason}.",
    "Write each line as NAME=value, or as a # and a comment.",
  ),
  ENV_FILE_OPEN: entry("{file} can be read by others on this machine.", "Run `chmod 600 {file}`."),
  PROXY_INVALID: entry(
    "The environment variable {variable} {reason}; a proxy's address is http://host:port or https://host:port.",
    "Correct {variable}, or unset it.",
  ),
  FOLDER_UNFIT_FOR_TRUST: entry(
    "{folder} cannot be trusted: {reason}.",
    "Name the folder of your project, one that only you can write to.",
    2,
  ),
  CONFIG_HOME_CHANNEL_MISSING: entry(
    "{platform} has no home channel.",
    "Set `homeChannel` for {platform} in the config, or send /sethome in the chat that you choose (`!sethome` where the platform reserves the slash).",
  ),
  CONFIG_PLACE_NOT_SHARED: entry(
    "Others can read the place {place} on {platform}, and the config does not say that they may.",
    "Set `shared: true` on it in `places` of the config if that is intended.",
  ),
  CONFIG_HOME_CHANNEL_NOT_SHARED: entry(
    "The home channel of {platform}, {home}, is not a private chat: others there would read the session.",
    "If that is intended, set `shared: true` on it.",
  ),
  HOME_PEOPLE_CHANGED: entry(
    "The home channel of {platform}, {home}, has other members than when it was set: {people} would read the session.",
    "`hermes home` shows who is recorded; `hermes home operator {platform} <id>` records somebody else.",
  ),
  LIMIT_REACHED: entry(
    "{reached}.",
    "An operator allows the same again with /usage more, and `limits` in the config sets it; then /retry asks again.",
  ),
  CONFIG_LIMIT_UNPRICED: entry(
    "{limits} in the config counts 100,000 tokens of {models} as a dollar, because its price is not known.",
    "Set `prices` for it in `models.known`, or limit `tokens` as well.",
  ),
  // plugins
  PLUGIN_NOT_FOUND: entry(
    "The plugin {package} was not found: looked in {tried}.",
    "Run `hermes plugins add {package}`.",
  ),
  PLUGIN_NO_MANIFEST: entry(
    '{package} is not a Hermes plugin: its package.json has no field `"hermes"`.',
    "Check the name.",
  ),
  PLUGIN_API_TOO_NEW: entry(
    "{package} needs plugin API {wanted}; this Hermes has {found}.",
    "Upgrade Hermes, or install an older {package}.",
  ),
  PLUGIN_API_TOO_OLD: entry(
    "{package} was made for plugin API {wanted}; this Hermes has {found}.",
    "Upgrade {package}. For its author: docs/migrating.md of Hermes says what has changed.",
  ),
  PLUGIN_KIND_UNKNOWN: entry(
    "{package} is a plugin of the kind “{kind}”, which this Hermes does not support; it supports: {known}.",
    "Upgrade Hermes, or take {package} out of the config.",
  ),
  PLUGIN_DUPLICATE: entry("{platform} is configured twice, by {first} and {second}.", "Keep one of them."),
  PLUGIN_FAILED: entry("The plugin {package} failed while it {phase}: {reason}.", "See the log: {log}."),
  PLUGIN_NOT_READY: entry("The plugin {package} was not ready after {seconds} s.", "See the log: {log}."),
  PLUGIN_INVALID: entry("The plugin {package} is not usable: {reason}.", "Tell its author."),
  PLUGIN_NEEDS_PACKAGE: entry(
    "The plugin {package} needs {needed} for {purpose}, and that is not installed.",
    "Run `npm install {needed}` where the plugin is installed.",
  ),
  PLUGIN_COMMAND_FAILED: entry("`{command}` failed: {reason}.", "{hint}"),
  PLUGIN_NO_EMULATOR: entry(
    "No plugin installed in {folder} or beside Hermes has an emulator of {platform}.",
    "Install one that has; the folder of another project needs `hermes trust` first. Platforms with an emulator: {known}.",
  ),
  PROVE_PATH_MISSING: entry(
    "{path} is neither a file or folder here nor an installed package.",
    "Name the folder of the plugin's package: `hermes prove <path>`.",
  ),
  PROVE_NO_SUBJECT: entry(
    "The package in {folder} names no conformance subject.",
    'Add `"conformance": "./test/subject.js"` to `"hermes"` in its package.json, and export the `subject` there; docs/adapter-kit.md of @hermes/testing shows one.',
  ),
  PROVE_NO_ADAPTER: entry(
    "{package} brings tools, and the kit proves adapters.",
    "`hermes doctor` makes the tools of a plugin that is in the config, and says what is wrong with them.",
  ),
  PROVE_SUBJECT_MISSING: entry(
    "{package} names {file} as its conformance subject, and that is neither there nor compiled beside its main module.",
    "Build the package; if it is somebody else's, ask its author to publish the compiled subject, as docs/adapter-kit.md of @hermes/testing says.",
  ),
  PROVE_SUBJECT_INVALID: entry(
    "{file} is not usable as a conformance subject: {reason}.",
    "Fix it, or change `hermes.conformance` in package.json; docs/adapter-kit.md of @hermes/testing shows a subject.",
  ),
  PACKAGE_MANAGER_MISSING: entry(
    "The project in {folder} uses {manager}, which is not installed.",
    "Install {manager} (`corepack enable` provides pnpm and yarn), then try again.",
  ),
  PACKAGE_MANAGER_FAILED: entry("{manager} failed: {reason}.", "Fix that, then try again."),
  PACKAGE_UNKNOWN: entry("The registry has no {package}.", "Check the name and the version."),
  REGISTRY_UNREACHABLE: entry(
    "The package registry could not be reached: {reason}.",
    "Check the network (behind a proxy, HTTPS_PROXY too), then try again.",
  ),
  PLUGINS_BUSY: entry(
    "Another `hermes plugins` command is running, in process {pid}.",
    "Wait for it to end, then try again.",
  ),
  PLUGIN_NOT_THERE: entry(
    "{package} is neither in {config} nor among the packages of {folder}.",
    "`hermes plugins` lists what is.",
  ),
  CONFIG_BY_HAND: entry(
    "{file} cannot be edited without losing something.",
    "Remove {package} from it by hand, then try again.",
  ),
  PERMISSION_RULE_INVALID: entry(
    "{rule} is not a valid rule: {reason}.",
    "`hermes permissions --help` shows how rules are written.",
    2,
  ),
  PERMISSION_RULE_UNKNOWN: entry("{file} has no rule {rule}.", "`hermes permissions` lists those it has."),
  PROJECT_MISSING: entry(
    "{folder} has no package.json, so no package can be installed there.",
    "Pass --yes to create one, or run `npm init` there.",
  ),
  // store
  STORE_BUSY: entry("The store {file} has been busy for {seconds} s; in use by {holder}.", "Try again in a moment."),
  TAKEN_BACK: entry(
    "It was cancelled while the store was busy, and was not done.",
    "Do it again when the store is free.",
  ),
  STORE_KEY_UNREADABLE: entry(
    "The key that protects codes, {file}, could not be used: {reason}.",
    "Make it readable for Hermes, or remove it: open codes become invalid, and nothing else is lost.",
  ),
  STORE_UNREADABLE: entry(
    "The store {file} cannot be used: {reason}.",
    "Check the file, its permissions and its disk.",
  ),
  STORE_TOO_NEW: entry(
    "The store {file} was written by a newer Hermes (schema {found}; this one knows {known}).",
    "Upgrade Hermes.",
  ),
  STORE_NO_ROOM_TO_UPDATE: entry(
    "Updating the store {file} for this Hermes needs {needed} MB; {free} MB are free.",
    "Free some space, then try again. Until then the previous Hermes can still use it.",
  ),
  STORE_UPDATE_FAILED: entry(
    "The store {file} could not be updated for this Hermes and is unchanged: {reason}.",
    "The previous Hermes can still use it; a copy from before the update is at {copy}.",
  ),
  STORE_REPLACED: entry(
    "The store {file} was removed or replaced while it was in use.",
    "Start Hermes again. What was written since then went into the old file.",
  ),
  STORE_FULL: entry("There is no room left for the store {file}.", "Free some space, then try again."),
  STORE_CLOSED: entry("The store is closed.", "Open it again."),
  // sessions
  SESSION_UNKNOWN: entry(
    "There is no session {reference}.",
    "`hermes sessions` lists them.",
    1,
    "/sessions lists them.",
  ),
  SESSION_DELETED: entry(
    "The session {title} was deleted elsewhere, with its whole transcript.",
    "/new starts a new one; /resume continues another.",
  ),
  SESSION_AMBIGUOUS: entry("{reference} matches {count} sessions: {titles}.", "Name one by its id."),
  SESSION_BUSY: entry(
    "A turn has been running in this session {place} for {age}.",
    "Wait for it, or stop it with /stop.",
  ),
  SESSION_IN_USE: entry("The session {title} is bound {places}.", "Delete it with --force to unbind it there."),
  COMPACTION_NOTHING: entry(
    "There is nothing to compact in this session: {reason}.",
    "Go on with a message; Hermes compacts by itself when the model's window is nearly full.",
    1,
    "Go on with a message.",
  ),
  COMPACTION_FAILED: entry(
    "The session is too long for {model}, and it could not be compacted: {reason}.",
    "Choose a model with a larger window, try /compact with what matters, or start a new session with /new.",
    1,
    "Send /compact with what matters, or start a new session with /new.",
  ),
  COMPACTION_STOPPED: entry("The session was not compacted: it was stopped.", "Send /compact again.", 1),
  COMPACTION_TURN_WAITS: entry(
    "A turn of this session waits{what}, so it cannot be compacted.",
    "Answer the question first, or end the turn with /stop.",
  ),
  SESSION_NOTHING_TO_UNDO: entry("There is nothing to undo in this session.", "Go on with a message."),
  SESSION_NO_FILES_TO_UNDO: entry(
    "No file is left to restore: the undone messages changed none, or the files are as they were.",
    "/undo first undoes your last message.",
  ),
  MESSAGE_UNKNOWN: entry(
    "This session has no message {number} of yours: it has {count}.",
    "/rewind lists them with their numbers.",
  ),
  COPY_NOTHING: entry(
    "There is nothing to copy: {reason}.",
    "/copy copies the last answer, /copy 2 its second code block.",
  ),
  COPY_NO_WAY: entry(
    "This terminal has no way to the clipboard.",
    "Install wl-clipboard or xclip, or use a terminal that takes the escape sequence OSC 52.",
  ),
  SESSION_NOTHING_TO_ASK_AGAIN: entry("There is nothing to retry in this session.", "Send a message."),
  // people
  PERSON_UNKNOWN: entry("There is no person {reference}.", "`hermes people` lists them."),
  PERSON_AMBIGUOUS: entry("{reference} matches {count} people: {names}.", "Name one in full, or by an id."),
  PERSON_NOT_KEPT: entry("This command cannot change {name}: {from}.", "{hint}"),
  PERSON_NOT_LINKED: entry("{id} of {account} is linked to nobody.", "`hermes people` shows who is linked."),
  PERSON_NAME_TAKEN: entry("Somebody is called {name} already.", "Choose another name; `hermes people` lists them."),
  PERSON_NAME_INVALID: entry("A person's name has 1 to {max} characters on one line.", "Choose another one."),
  PERSON_IS_TERMINAL: entry(
    "The person at the terminal is always there, as an operator.",
    "`hermes people` lists the others.",
  ),
  JOB_UNKNOWN: entry("No job {id} runs here.", "/jobs lists those that run."),
  TITLE_INVALID: entry("A title has 1 to {max} characters on one line.", "Choose another one."),
  TURN_STOPPED: entry(
    "The turn was stopped before it was answered.",
    "Everything up to then is kept; `hermes resume {sessionId}` continues the session.",
    1,
    "Everything up to then is kept; send a message to continue.",
  ),
  TURN_WAITS: entry(
    "The session “{title}” waits for an answer: {asked}.",
    "`hermes approvals` shows the question; answer it, then send your message again.",
    75,
  ),
  APPROVAL_UNKNOWN: entry(
    "There is no question {code}.",
    "`hermes approvals` lists the open ones.",
    1,
    "/status shows what is open in this session, with its code.",
  ),
  APPROVAL_ONCE_ONLY: entry(
    "{asked} can be allowed once only.",
    "`hermes approvals allow {code}` allows it once.",
    1,
    "/approve {code} allows it once.",
  ),
  APPROVAL_NOT_SHOWN: entry(
    "{asked} is cut off here.",
    "Allow it where it was asked, or in the terminal: `hermes approvals allow {code}`.",
    1,
  ),
  APPROVAL_NEEDS_ANSWER: entry(
    "{asked} is a question of the agent.",
    "Answer it with `hermes approvals allow {code} <answer>`.",
    1,
    "Answer it with /approve {code} and your answer.",
  ),
  TURN_SUPERSEDED: entry(
    "Another process took over this session while this one was away; nothing was written.",
    "Read what is new, and send your message again if you still want to.",
  ),
  // handoff
  HANDOFF_IN_FLIGHT: entry(
    "This session is already being handed off to {platform}, for {age} now.",
    "Wait for it: `hermes handoffs` shows it; `hermes handoffs cancel {handoffId}` cancels one that waits.",
    1,
    "Wait for it to end.",
  ),
  HANDOFF_NO_GATEWAY: entry(
    "No gateway is running, so the session cannot be handed off to {platform}.",
    "Start one: `hermes gateway --detach`.",
  ),
  HANDOFF_PLATFORM_NOT_SERVED: entry(
    "The running gateway does not serve {platform}; it serves {served}.",
    "Add {platform} to the config {config} and restart the gateway.",
  ),
  PLACE_UNKNOWN: entry(
    "Hermes knows no place called {place}.",
    "`hermes places` lists those that it knows. A chat is known once somebody who is allowed has written in it.",
    1,
    "A chat is known once somebody who is allowed has written in it.",
  ),
  PLACE_UNREACHABLE: entry(
    "{place} is in the config but cannot be reached: {reason}.",
    "Check that the bot is in that chat and that the id is right; the gateway looks again every few minutes.",
    1,
  ),
  PLACE_MISTYPED: entry(
    "Hermes knows no place called {place}.",
    "Did you mean {meant}? `hermes places` lists them all.",
    1,
    "Did you mean {meant}?",
  ),
  PLACE_AMBIGUOUS: entry("{place} names {count} places: {places}.", "Type one of them as it is listed."),
  PLACE_UNCLEAR_HERE: entry(
    "{place} names no place, or several.",
    "Others read here: ask in your private chat, or see `hermes places`.",
    1,
    "Others read here: ask in your private chat.",
  ),
  HANDOFF_IN_TERMINAL: entry(
    "The session is in the terminal already.",
    "`hermes resume {reference}` goes on with it.",
    1,
    "Go on with it in a terminal.",
  ),
  PLACE_OF_STRANGER: entry(
    "{place} is the private chat of somebody who may not talk to Hermes.",
    "Let them in first, or choose another place.",
  ),
  PLACE_READER_UNKNOWN: entry(
    "Hermes does not know yet who can read {place}.",
    "Have them write to Hermes there once, or choose another place.",
  ),
  SESSION_NOT_THEIRS: entry(
    "The person in this private chat no longer has access to that session.",
    "Make them an operator, or give them the session with `hermes pass`.",
  ),
  CHAT_NOT_PRIVATE: entry(
    "Others are in this private chat on {platform}: {people} would read the session.",
    "Have them leave, or go on in a chat of your own.",
  ),
  HANDOFF_READ_BY_OTHERS: entry(
    "{readers} would be able to read this session and write in it.",
    "If that is intended: `{command}`.",
  ),
  HANDOFF_NOT_OURS: entry(
    "Only sessions that were begun in this chat can be sent on from it: others read here.",
    "Send it from your private chat, or with `hermes handoff` in a terminal.",
    1,
    "Send it from your private chat.",
  ),
  HANDOFF_PLACE_CHANGED: entry(
    "{place} has become another kind of chat since Hermes got to know it.",
    "`hermes places` lists the places as they are now.",
  ),
  HANDOFF_PLATFORM_UNKNOWN: entry(
    "There is no platform called {platform}.",
    "Configured here: {known}. `hermes plugins` lists what is installed, and says how to add it to the config.",
    1,
    "Configured here: {known}.",
  ),
  HANDOFF_PLATFORM_UNHEALTHY: entry(
    "{platform} is not receiving: {detail}.",
    "`hermes status` shows its health.",
    1,
    "/status shows its health.",
  ),
  HANDOFF_ALREADY_THERE: entry("The session is there already: {link}.", "Go on there."),
  HANDOFF_NOT_CLAIMED: entry(
    "No gateway took the handoff within {seconds} s.",
    "Look at `hermes status`, then try again.",
    3,
    "Look at /status, then try again.",
  ),
  HANDOFF_NOT_FINISHED: entry(
    "The handoff is still running after {minutes} min.",
    "It goes on by itself: `hermes handoffs show {handoffId}`.",
    3,
    "It goes on by itself.",
  ),
  HANDOFF_CANCELLED: entry("The handoff was cancelled.", "Your session is here, unchanged."),
  HANDOFF_THREAD_REQUIRED: entry(
    "No thread could be opened on {platform}: {reason}.",
    "Fix that, or set `requireThread: false` on its home channel.",
  ),
  HANDOFF_HOME_HOLDS_THREADS: entry(
    "The home channel on {platform} holds threads only, and none could be opened: {reason}.",
    "Fix that and hand off again, or set another home channel.",
  ),
  HANDOFF_SEND_FAILED: entry("The handoff's messages could not be sent: {reason}.", "Fix that, then hand off again."),
  HANDOFF_ABANDONED: entry(
    "The handoff failed after {attempts} attempts.",
    "See the log, then try again.",
    1,
    "Try again.",
  ),
  HANDOFF_NOT_CANCELLABLE: entry(
    "A gateway has taken the handoff {handoffId}, so it can no longer be cancelled.",
    "Wait for it to end.",
  ),
  HANDOFF_ENDED: entry(
    "The handoff {handoffId} has already ended: it is {state}.",
    "`hermes handoffs show {handoffId}` shows its steps.",
  ),
  HANDOFF_AMBIGUOUS: entry(
    "{reference} matches the handoffs of {count} sessions: {titles}.",
    "Name one by its number in `hermes handoffs`, or by its id.",
  ),
  HANDOFF_UNKNOWN: entry("There is no handoff {reference}.", "`hermes handoffs` lists them."),
  // deliveries
  DELIVERY_UNKNOWN: entry(
    "No undelivered message matches {reference}.",
    "`hermes deliveries` lists them, with their numbers.",
  ),
  DELIVERY_UNDER_WAY: entry(
    "Hermes is already sending the message {deliveryId}.",
    "`hermes deliveries --waiting` shows its progress.",
  ),
  DELIVERY_READ_BY_OTHERS: entry(
    "{readers} would be able to read this message, which is held back.",
    "If that is intended: `{command}`.",
  ),
  // overview
  OVERVIEW_REFUSED: entry(
    "Only the operator can see this on {platform}.",
    "`hermes home` shows who that is in a home channel.",
  ),
  // agent
  AGENT_MODEL_INVALID: entry(
    "{model} names no model.",
    "Write `<provider>/<model>`, such as anthropic/claude-sonnet-4-5.",
  ),
  AGENT_PROVIDER_UNKNOWN: entry(
    "There is no provider called {provider}.",
    "Known: {known}. Add others under `providers` in the config.",
  ),
  AGENT_KEY_MISSING: entry("{provider} needs a key, and {variable} is not set.", "Set {variable} in the environment."),
  AGENT_KEY_REFUSED: entry(
    "{provider} does not accept {key} ({reason}).",
    "Check the key, or create a new one there and replace it.",
  ),
  AGENT_MODELS_UNKNOWN: entry(
    "{provider} did not list its models: {reason}.",
    "Check its address, the network and the proxy; a server on this machine has to be running.",
  ),
  AGENT_MODEL_GONE: entry(
    "{provider} has no model {model} ({reason}).",
    "`hermes models {provider}` lists what it has; choose one with /model.",
    1,
    "Choose another one with /model.",
  ),
  AGENT_LIMITED: entry(
    "{provider} asks to wait, or the account has used up its quota ({reason}).",
    "Ask again later, or choose another model with /model; `models.fallback` in the config asks others by itself.",
    1,
    "Send /retry later, or choose another model with /model.",
  ),
  AGENT_OVERLOADED: entry(
    "{provider} is overloaded or out of order ({reason}).",
    "Ask again later, or choose another model with /model; `models.fallback` in the config asks others by itself.",
    1,
    "Send /retry later, or choose another model with /model.",
  ),
  AGENT_UNREACHABLE: entry(
    "The connection to {provider} failed: {reason}.",
    "Check its address, the network and the proxy (`hermes doctor` does); a server on this machine has to be running.",
    1,
    "Send /retry, or choose another model with /model.",
  ),
  AGENT_REDIRECTED: entry(
    "{provider} redirects {where} (HTTP {status}), where neither the key nor the conversation is sent.",
    "Correct its address: `baseUrl` under `providers` in the config, or the variable that holds it.",
  ),
  AGENT_NONE_ANSWERED: entry(
    "No model answered: {models}.",
    "Ask again later, or choose another model with /model.",
    1,
    "Send /retry later, or choose another model with /model.",
  ),
  AGENT_REFUSED: entry(
    "{model} did not answer: its provider held the answer back.",
    "Ask in other words, or choose another model with /model.",
  ),
  AGENT_FAILED: entry(
    "The model did not answer: {reason}.",
    "Ask again (in a chat, with /retry), or choose another model.",
    1,
    "Send /retry, or choose another model.",
  ),
  AGENT_STALLED: entry(
    "The model sent nothing for {seconds} s ({host}).",
    "Ask again (in a chat, with /retry). Give a slower model more time with `modelTimeouts` in the config.",
    1,
    "Send /retry.",
  ),
  AGENT_CONTEXT_FULL: entry(
    "The session has grown past what {model} can read.",
    "Choose a model with a larger window, or start a new session with /new.",
  ),
  // platforms
  PLATFORM_UNAUTHORISED: entry(
    "{platform} does not accept the credentials.",
    "Check the token in the config; a gateway uses a new one once it is restarted.",
  ),
  PLATFORM_FORBIDDEN: entry("{platform} does not permit it: {reason}.", "{hint}"),
  PLATFORM_NOT_FOUND: entry("{platform} does not know the chat: {reason}.", "{hint}"),
  PLATFORM_THREAD_GONE: entry("The thread on {platform} is gone.", "The next message opens a new one."),
  PLATFORM_RATE_LIMITED: entry("{platform} asks Hermes to wait {seconds} s.", "Hermes then sends it."),
  PLATFORM_UNAVAILABLE: entry("{platform} cannot be reached: {reason}.", "Hermes tries again by itself."),
  PLATFORM_REJECTED: entry("{platform} refused the message: {reason}.", "{hint}"),
  PLATFORM_UNCERTAIN: entry(
    "It is not known whether {platform} accepted the message: {reason}.",
    "Check there; Hermes does not send it again by itself.",
  ),
  // commands
  USAGE: entry("{reason}.", "`{command} --help` shows how.", 2, "/help lists what works here."),
  COMMAND_UNKNOWN: entry("There is no command /{name}.", "/help lists them.", 2),
  COMMAND_MISTYPED: entry("There is no command /{name}.", "Did you mean /{meant}? /help lists them all.", 2),
  COMMAND_ELSEWHERE: entry("Hermes has no /{name}.", "{here} /help lists the commands.", 2),
  COMMAND_TAKES: entry("/{name} takes {takes}.", "Nothing was done. /help lists what each command takes.", 2),
  COMMAND_NOT_HERE: entry("/{name} works only {where}.", "/help lists what works here.", 2),
  CODE_INVALID: entry(
    "This code is not valid.",
    "A code works once and expires soon: get a new one.",
    1,
    "Get a new one.",
  ),
  IDENTITY_TAKEN: entry("{id} on {platform} is {name}'s.", "`hermes people` shows whose account is whose."),
  REQUEST_UNKNOWN: entry("Nobody waits to be let in by {reference}.", "`hermes people requests` lists who does."),
  PASS_UNKNOWN: entry("There is no pass {reference}.", "`hermes passes` lists those that are open or in use."),
  NOT_ALLOWED: entry("You may not do that here.", "Ask the operator of this Hermes."),
  GAVE_UP_WAITING: entry("Gave up waiting after {seconds} s: {what}.", "It continues by itself; check again later.", 3),
  INIT_CANCELLED: entry("The set-up was cancelled; nothing was written.", "`hermes init` starts it again."),
  INIT_FOLDER_UNFIT: entry(
    "{folder} cannot hold a config: {reason}.",
    "Go to a folder of your own, or name one with `--folder`; Hermes creates it if it is missing.",
    2,
  ),
  INIT_CHECK_FAILED: entry(
    "{platform} cannot be set up like this: {reason}.",
    "Correct that and run it again; in a terminal, without --yes, it asks.",
  ),
  INIT_ACCOUNT_SERVED: entry(
    "A gateway serves this {platform} account and receives its messages.",
    "Stop it with `hermes gateway stop`, or name the home channel with `--home`.",
  ),
  INIT_CONFIG_BY_HAND: entry(
    "{file} is written in a way that Hermes cannot edit.",
    "Run `hermes init` in a terminal: it shows the lines to add.",
  ),
  GATEWAY_NO_PLATFORMS: entry("There is no platform to serve: {config} names no plugin.", "Add one under `plugins`."),
  GATEWAY_NOT_STARTED: entry("The gateway did not start: {reason}.", "See the log: {log}."),
  SERVICE_UNAVAILABLE: entry(
    "No service manager that Hermes can use is running: {reason}.",
    "Start the gateway yourself: `hermes gateway --detach`, or a line `@reboot …` in `crontab -e` (docs/service.md).",
  ),
  SERVICE_NOT_INSTALLED: entry(
    "The service is not installed, so it has printed nothing.",
    "Run `hermes service install`; `hermes logs` shows the log of any gateway.",
  ),
  SERVICE_FAILED: entry("`{command}` failed: {reason}.", "`hermes service status` shows the state of the service."),
  SERVICE_FOREIGN: entry(
    "{file} was not written by `hermes service install`, so it was left unchanged.",
    "Remove or rename it if you do not need it.",
  ),
  SERVICE_PATH_UNFIT: entry(
    "{path} cannot be used in a service: it contains a line break, or ends with a space or a backslash.",
    "Rename that folder.",
  ),
  BACKUP_UNFIT: entry("{file} was not restored: {reason}.", "Choose another backup; nothing was changed."),
  HOME_IN_USE: entry(
    "{home} is in use by another process of Hermes.",
    "Run `hermes gateway stop`, leave every chat, then try again; `hermes service uninstall` where a service runs.",
  ),
  UPDATE_UNKNOWN: entry(
    "Hermes could not check for a newer version: {reason}.",
    "Check the connection and the package registry, then try again.",
  ),
  HOME_NOT_PRIVATE: entry(
    "{folder} cannot be used as Hermes' home: {reason}.",
    "Set HERMES_HOME to a folder of your own.",
  ),
  HOME_OPEN_TO_OTHERS: entry(
    "{folder} could be written to by others, so its files may not be yours: {what}.",
    "Look through it; `hermes trust --home` then makes it private and uses it.",
  ),
  DISK_FULL: entry("There is no room left on the disk for {file}.", "Free some space, then try again."),
  FILE_TOO_LARGE: entry("{name} is larger than {limit} MB.", "Send a smaller file, or name its path."),
  EXPORT_THERE: entry("{path} exists already and was left unchanged.", "Name a file that is not there yet."),
  FILE_FAILED: entry("{file} cannot be used: {reason}.", "Fix that, then try again."),
  INTERNAL: entry("Something went wrong inside Hermes: {reason}.", "See the log: {log}."),
} as const;

/** The code of each error that Hermes says to people. It keeps its name and meaning. */
export type ErrorCode = keyof typeof ERROR_TABLE;

/** The names of the fields that the sentences of a code use. */
export type ErrorFields<Code extends ErrorCode> = Record<
  FieldsIn<(typeof ERROR_TABLE)[Code]["sentence"]> | FieldsIn<(typeof ERROR_TABLE)[Code]["hint"]>,
  string | number
>;

type FieldsIn<Text extends string> = Text extends `${string}{${infer Field}}${infer Rest}`
  ? Field | FieldsIn<Rest>
  : never;

/** 1: failed; 2: used wrongly; 3: gave up waiting; 75: a person had to be asked, and nobody was there. */
export type ErrorExit = 1 | 2 | 3 | 75;

function entry<const Sentence extends string, const Hint extends string>(
  sentence: Sentence,
  hint: Hint,
  exit: ErrorExit = 1,
  inChat: string | null = null,
) {
  return { sentence, hint, exit, inChat } as const;
}

/** Fills the placeholders of `text` from `fields`. No full stop follows a field that ends a sentence by itself. */
export function fillIn(text: string, fields: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}(\.?)/g, (place, name: string, fullStop: string) => {
    const field = fields[name];
    if (field === undefined) return place;
    return /[.?!…]$/.test(String(field)) ? String(field) : `${field}${fullStop}`;
  });
}
