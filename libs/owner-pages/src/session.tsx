/** The owner's token, kept only in this tab, and the gateway's answers to it. */
import { createSession, tokenPlace, type SignOut } from '@platform/design-parts';
import type { Requests } from '@platform/design-parts/requests';

export const place = tokenPlace('owner-pages.token');

export interface OwnerSession {
  readonly requests: Requests;
  readonly who: string;
  readonly signOut: SignOut;
}

export const { SessionContext, useSession } = createSession<OwnerSession>();
