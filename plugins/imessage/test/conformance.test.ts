import { describeAdapter } from "@hermes/testing";
import { subject } from "./subject.ts";

describeAdapter(subject);
