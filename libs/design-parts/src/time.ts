/** Instants in three forms: relative for reading, in the person's time zone, and in UTC for the record. */

const steps: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
];

/** `3 min ago`, `in 2 h`, `just now`. */
export function formatRelative(instant: string, now: number): string {
  const seconds = Math.round((now - Date.parse(instant)) / 1_000);
  if (Number.isNaN(seconds)) return instant;
  if (Math.abs(seconds) < 2) return 'just now';
  const length = formatDuration(Math.abs(seconds));
  return seconds > 0 ? `${length} ago` : `in ${length}`;
}

/** The two largest units: `1 d 4 h`, `12 min`, `45 s`. */
export function formatDuration(totalSeconds: number): string {
  let left = Math.floor(totalSeconds);
  const parts: string[] = [];
  for (const [unit, size] of steps) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0 || (unit === 's' && parts.length === 0)) parts.push(`${count} ${unit}`);
    if (parts.length === 2 || (parts.length === 1 && unit === 'min')) break;
  }
  return parts.join(' ');
}

/** `2026-03-01 12:00:05 UTC`. */
export function formatUtc(instant: string): string {
  const at = new Date(instant);
  return Number.isNaN(at.getTime()) ? instant : `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `2026-03-01 13:00:05 GMT+1`, in the person's time zone; tests may pass another one. */
export function formatLocal(instant: string, timeZone?: string): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return instant;
  const zone = timeZone === undefined ? {} : { timeZone };
  // The Swedish locale writes dates in ISO 8601 order.
  const day = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', ...zone }).format(at);
  const name = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short', ...zone })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value;
  return `${day} ${name ?? ''}`.trim();
}
