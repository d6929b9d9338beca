import "./style/base.css";
import "./style/layout.css";
import "./style/sessions.css";
import "./style/messages.css";
import "./style/work.css";
import "./style/files.css";
import "./style/markdown.css";
import "./style/choices.css";
import "./style/composer.css";
import "./style/overview.css";
import { render } from "preact";
import { start } from "./state/live.ts";
import { restoreOutgoing } from "./state/outgoing.ts";
import { App } from "./view/app.tsx";

const root = document.getElementById("app");
if (root) render(<App />, root);
restoreOutgoing();
void start();
