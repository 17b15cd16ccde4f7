/** The most devices of which the screen that compares them shows a chart each. */
export const MOST_COMPARED = 24;
