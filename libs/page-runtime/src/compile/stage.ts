/** One stage of an aggregation, in the database's form. */
export type Stage = Readonly<Record<string, unknown>>;
