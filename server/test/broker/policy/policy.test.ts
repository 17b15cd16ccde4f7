import { createEngine } from "../../../src/broker/engine/engine.ts";
import { policySuite } from "./policy-suite.ts";

policySuite("the engine", createEngine);
