/**
 * The signing secrets as files: one for each `secretRef`, in one folder that the deployment mounts. A file has one line,
 * or two while a team rotates; each line is `whsec_` and Base64.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretsRead, SigningSecrets } from './port';

/** The specification's limits of a secret, in bytes. */
const [secretBytesMin, secretBytesMax] = [24, 64];
const secretsMax = 2;
const format = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** `folder` is absent where no team is served over HTTP. */
export function secretFiles(folder: string | undefined): SigningSecrets {
  return {
    async read(secretRef) {
      const problem = (what: string): SecretsRead => ({ ok: false, problem: `the secret ${secretRef} ${what}` });
      if (folder === undefined) return problem('cannot be read: HTTP_DELIVERY_DIR names no folder');
      let text;
      try {
        text = await readFile(join(folder, secretRef), 'utf8');
      } catch {
        return problem('has no readable file');
      }
      const secrets = text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      if (secrets.length < 1 || secrets.length > secretsMax) return problem('must have one line, or two in a rotation');
      return secrets.every(isSecret)
        ? { ok: true, secrets }
        : problem('has a line that is not whsec_ and Base64 of 24 to 64 bytes');
    },
  };
}

function isSecret(line: string): boolean {
  const bytes = Buffer.from(format.exec(line)?.[1] ?? '', 'base64').length;
  return bytes >= secretBytesMin && bytes <= secretBytesMax;
}
