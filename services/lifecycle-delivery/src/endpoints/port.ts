/** The endpoints of teams without the broker: one signed POST, and what came back of it. */
export interface EndpointPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type PostOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string; readonly retryAfter?: string }
  /** The POST was not sent: the address is refused, or no connection was made. */
  | { readonly kind: 'not_sent'; readonly reason: string }
  /** The POST was sent, and no readable answer came: its effect is not known. */
  | { readonly kind: 'unanswered'; readonly reason: string };

export interface Endpoints {
  /** Why nothing may be posted to this address, as far as its text tells; null when it may. */
  objectionTo(url: string): string | null;
  /** Never rejects. Follows no redirect. Takes as long as the time-out of an endpoint at most. */
  post(post: EndpointPost): Promise<PostOutcome>;
}

/** The secrets that sign for one endpoint: two during a rotation. */
export type SecretsRead =
  { readonly ok: true; readonly secrets: readonly string[] } | { readonly ok: false; readonly problem: string };

export interface SigningSecrets {
  /** Read for each message, so that a rotation restarts nothing. A problem names the secret and never its content. */
  read(secretRef: string): Promise<SecretsRead>;
}

/** The largest answer of an endpoint; a receipt is much smaller. */
export const answerBytesMax = 16_384;
