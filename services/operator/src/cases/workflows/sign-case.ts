/**
 * Signs a case that leaves the system as evidence, so that a later reader can check that the gateway issued the file
 * unchanged. The signature proves origin and integrity, not that the case is still current.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { caseExportFormat, caseExportSchema, type CaseExport, type CaseView } from '@platform/contracts-operator';
import { canonicalJson, ok, refused, sha256, type Result } from '@platform/kernel';

/** The key's public id, which reveals nothing of the key; it shows which key verifies the file. */
export function keyIdOf(key: string): string {
  return sha256(`case-signing-key:${key}`).slice(0, 16);
}

function signatureOf(content: Omit<CaseExport, 'signature'>, key: string): string {
  return createHmac('sha256', key).update(canonicalJson(content)).digest('base64url');
}

/** The case with a signature over all its members (HMAC-SHA256 of its canonical JSON). */
export function signCase(
  view: CaseView,
  { exportedBy, exportedAt, key }: { readonly exportedBy: string; readonly exportedAt: Date; readonly key: string },
): CaseExport {
  // The signature covers the JSON form: members that are undefined are not in the file.
  const content = JSON.parse(
    JSON.stringify({ format: caseExportFormat, exportedAt: exportedAt.toISOString(), exportedBy, case: view }),
  ) as Omit<CaseExport, 'signature'>;
  return { ...content, signature: { algorithm: 'HMAC-SHA256', keyId: keyIdOf(key), value: signatureOf(content, key) } };
}

/** The case of an unchanged file, or what is wrong with it. Every member of the file is covered, also unknown ones. */
export function verifyCase(text: string, key: string): Result<CaseExport, string> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return refused('The file is no JSON.');
  }
  const file = caseExportSchema.safeParse(parsed);
  if (!file.success)
    return refused(
      `The file is no exported case: ${file.error.issues[0]?.path.join('.') ?? ''} ${file.error.issues[0]?.message ?? ''}`,
    );
  const { signature, ...content } = parsed as CaseExport;
  if (signature.keyId !== keyIdOf(key))
    return refused(`The file was signed with another key (${signature.keyId}); this one is ${keyIdOf(key)}.`);
  const [given, computed] = [Buffer.from(signature.value), Buffer.from(signatureOf(content, key))];
  if (given.length !== computed.length || !timingSafeEqual(given, computed))
    return refused('The signature does not fit: the file was changed after it was exported.');
  return ok(file.data);
}
