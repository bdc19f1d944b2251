/**
 * Who works on a record: the stable name of the instance and the random incarnation of its present boot. Time never
 * proves that an executor is gone (law 4); a superseded incarnation is evidence for an investigator, nothing more.
 */
export interface Executor {
  readonly service: string;
  /** Configured name, unique among live replicas. */
  readonly instance: string;
  /** Random per boot. */
  readonly incarnation: string;
}

export function sameExecutor(a: Executor, b: Executor): boolean {
  return a.service === b.service && a.instance === b.instance && a.incarnation === b.incarnation;
}
