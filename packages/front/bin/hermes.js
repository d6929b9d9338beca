#!/usr/bin/env node
// The command of Hermes' core, which looks at the version of Node before anything else.
import "@hermes/core/bin/hermes.js";
