/** One part of the platform on this machine: its program, its environment, and its readiness check. */

export type Readiness =
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'tcp'; readonly port: number }
  /** Writes a line that begins with `ready`, for parts that serve no port. */
  | { readonly kind: 'line' };

export interface Part {
  readonly name: string;
  /** `program`: a bundle run by Node; `once`: the same, awaited to its end; `nats`: the broker's own binary. */
  readonly kind: 'program' | 'once' | 'nats';
  readonly title: string;
  readonly after: readonly string[];
  /** Bundle below the root and its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The file without which the part has lost what was recorded in it. */
  readonly keeps?: string;
  readonly heapMegabytes: number;
  /** Half of the young generation; small unless the part answers under load. */
  readonly semiSpaceMegabytes?: number;
  /** The runtime collects more often to keep less: for a part that mostly waits. */
  readonly mostlyWaits?: boolean;
  readonly readiness?: Readiness;
  /** Ports that must be free before this part starts. */
  readonly ports?: readonly number[];
}
