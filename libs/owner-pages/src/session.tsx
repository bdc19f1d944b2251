/** The owner's token, kept only in this tab, and the gateway's answers to it. */
import { createSession, tokenPlace } from '@platform/design-parts';
import type { Requests } from '@platform/design-parts/requests';

const place = tokenPlace('owner-pages.token');
export const storedToken = place.read;
export const storeToken = place.keep;

export interface OwnerSession {
  readonly requests: Requests;
  readonly who: string;
  readonly signOut: () => void;
}

export const { SessionContext, useSession } = createSession<OwnerSession>();
