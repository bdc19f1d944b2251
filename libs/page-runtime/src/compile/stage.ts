/** One stage of an aggregation, as the database takes it. */
export type Stage = Readonly<Record<string, unknown>>;
