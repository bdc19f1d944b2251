/** Produces each refusal of the sign-in, for the suite that covers every code of the gateway. */
import type { InjectedAnswer } from '@platform/http-server';
import { openBrowser, openSignInWorld, type Browser } from './sign-in-world';

const asProgram = { accept: 'application/json' };

async function signingIn(play: (browser: Browser) => Promise<InjectedAnswer>, configured = true) {
  const world = await openSignInWorld({ configured });
  try {
    const answer = await play(openBrowser(world));
    return { status: answer.status, body: answer.json<Record<string, unknown>>() };
  } finally {
    await world.close();
  }
}

export const signInRefusals = {
  sign_in_not_configured: () => signingIn((browser) => browser.get('/console/sign-in', asProgram), false),
  sign_in_stale: () => signingIn((browser) => browser.get('/console/signed-in?state=x&code=y', asProgram)),
  sign_in_refused: () => signingIn(async (browser) => browser.get(await browser.leaveFor(''), asProgram)),
  sign_in_no_role: () => signingIn(async (browser) => browser.get(await browser.leaveFor('m@visitors'), asProgram)),
};
