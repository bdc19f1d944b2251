/** What the gateway refuses on the way into its console; part of its table of codes. */
export const signInCodes = {
  sign_in_not_configured: {
    status: 404,
    title: 'Sign-in not configured',
    message: 'This gateway knows no identity provider (OIDC_ISSUER). Show a token in the console.',
  },
  sign_in_stale: {
    status: 400,
    title: 'Sign-in not begun here',
    message:
      'This answer of the identity provider fits no sign-in that this browser began in the last ten minutes. Begin again.',
  },
  sign_in_refused: {
    status: 403,
    title: 'Sign-in refused',
    message: 'The answer of the identity provider does not hold.',
  },
  sign_in_no_role: {
    status: 403,
    title: 'No role',
    message: 'You are known, and nothing that you belong to gives you a role here. Ask the people who manage access.',
  },
} as const;
