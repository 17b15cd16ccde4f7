import type { Value } from "../phrase.ts";

/** The texts of rotations and layers of shifts. */
export const t = {
  onDuty: "Who is on duty",
  allTogether: "Everybody together",
  inTurns: "In turns",
  everyTurn: "A turn lasts",
  unit: "Days or weeks",
  weeks: "weeks",
  days: "days",
  handOver: "Hand-over at",
  firstTurn: "First turn from",
  turns: "Turns, in their order",
  turn: (place: Value) => `Turn ${place}`,
  alsoInTurn: (place: Value) => `Also in turn ${place}`,
  andAlso: "and also …",
  earlier: (place: Value) => `Move turn ${place} up`,
  remove: (place: Value) => `Remove turn ${place}`,
  addATurn: "Add a turn",
  layer: "Layer",
  onlyTheHighest: "If several shifts of a group are on duty, only the highest layer with a person is paged.",
  layerOf: (layer: Value) => `layer ${layer}`,
  everyDays: (count: number) => (count === 1 ? "turns of a day" : `turns of ${count} days`),
  everyWeeks: (count: number) => (count === 1 ? "turns of a week" : `turns of ${count} weeks`),
};
