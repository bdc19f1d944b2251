/** Phases of schedules: the current one, and their text form in a checkpoint. */
import type { ProviderSchedule, SchedulePhase } from '../objects';

/** The current phase of a schedule, and the next one; undefined where there is none. */
export function phasesFromNow({ phases, runningSince }: ProviderSchedule): {
  readonly running: SchedulePhase | undefined;
  readonly upcoming: SchedulePhase | undefined;
} {
  const at = phases.findIndex(({ startDate }) => startDate.getTime() === runningSince?.getTime());
  return at === -1 ? { running: undefined, upcoming: undefined } : { running: phases[at], upcoming: phases[at + 1] };
}

/** A phase as text, from which {@link phaseOfText} builds the same request again. */
export function textOfPhase(phase: SchedulePhase): string {
  return JSON.stringify(phase);
}

/** Reads the text of {@link textOfPhase}. */
export function phaseOfText(text: string): SchedulePhase {
  const { startDate, endDate, ...phase } = JSON.parse(text) as Omit<SchedulePhase, 'startDate' | 'endDate'> & {
    readonly startDate: string;
    readonly endDate: string;
  };
  return { ...phase, startDate: new Date(startDate), endDate: new Date(endDate) };
}
