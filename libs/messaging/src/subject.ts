/** Subject patterns as the broker reads them: `*` matches one token, a final `>` matches one or more. */

/** True when the concrete `subject` matches `pattern`. */
export function subjectMatches(pattern: string, subject: string): boolean {
  const wanted = pattern.split('.');
  const tokens = subject.split('.');
  for (const [index, token] of wanted.entries()) {
    if (token === '>') return tokens.length > index;
    if (index >= tokens.length || (token !== '*' && token !== tokens[index])) return false;
  }
  return wanted.length === tokens.length;
}

/** True for a subject to which messages can be published: non-empty tokens without wildcards or white space. */
export function isConcreteSubject(subject: string): boolean {
  return subject.split('.').every((token) => /^[^\s*>]+$/.test(token));
}
