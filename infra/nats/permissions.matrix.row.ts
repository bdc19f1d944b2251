/** One row of the permission matrix: a subject, and the users who may publish to it and subscribe to it. */
export interface Row {
  readonly subject: string;
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}
