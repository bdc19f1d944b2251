/** Refusals during sign-in to the console. */
export const signInCodes = {
  sign_in_not_configured: {
    status: 404,
    title: 'Sign-in not configured',
    message: 'This gateway has no identity provider (OIDC_ISSUER).',
    nextStep: 'Sign in with a token instead.',
  },
  sign_in_stale: {
    status: 400,
    title: 'Sign-in not begun here',
    message:
      "The identity provider's answer belongs to no sign-in that this browser has begun in the last ten minutes.",
    nextStep: 'Begin the sign-in again.',
  },
  sign_in_refused: {
    status: 403,
    title: 'Sign-in refused',
    message: "The identity provider's answer is not valid for this gateway.",
    nextStep: 'Begin the sign-in again. If it fails again, ask the people who manage access.',
  },
  sign_in_no_role: {
    status: 403,
    title: 'No role',
    message: 'You are signed in, but none of your groups has a role here.',
    nextStep: 'Ask the people who manage access for a role.',
  },
} as const;
