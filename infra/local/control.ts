/**
 * A program that starts the platform as its child (tests, chaos runs) controls it over the child's message channel: one
 * request `{id, command, part?}`, one answer `{id, ok, error?}`. When the channel closes the platform stops.
 */
import type { Platform } from './platform';

type ControlRequest = { readonly id: number; readonly command: 'kill' | 'restart'; readonly part: string };
export type ControlAnswer =
  { readonly id: number; readonly ok: true } | { readonly id: number; readonly ok: false; readonly error: string };
/** Sent once when everything is ready. */
export type ControlReady = { readonly ready: true };

/** Serves the channel, when there is one. */
export function serveControl(platform: Platform, stop: () => void): void {
  if (!process.send) return;
  const answer = (message: ControlAnswer | ControlReady): void => void process.send?.(message);
  process.on('message', (request: ControlRequest) => {
    const { id, command, part } = request;
    platform[command](part).then(
      () => answer({ id, ok: true }),
      (error: unknown) => answer({ id, ok: false, error: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.once('disconnect', stop);
  answer({ ready: true });
}
