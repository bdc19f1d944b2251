/** The description of a field: a text, or a text and the value in examples. */
export type Worded = string | readonly [text: string, example: unknown];
