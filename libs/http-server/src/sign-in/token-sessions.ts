/** Sessions whose cookie holds a token: the token is verified with each request, so the session ends with the token. */
import type { Authenticator } from '../auth/authenticator';
import { problem, Refusal } from '../problem';
import type { BrowserSessions } from './browser-session';

export function tokenSessions(auth: Authenticator, cookieName: string, origin: string): BrowserSessions {
  return {
    cookieName,
    origin,
    callerOf: async (token) => {
      const judged = await auth.verify(token);
      if (judged.verdict === 'undecided') throw new Refusal(problem('identity_unavailable', { retryAfterSeconds: 5 }));
      if (judged.verdict === 'not_yet_valid') return judged.verdict;
      return judged.verdict === 'valid' ? judged.caller : undefined;
    },
  };
}
