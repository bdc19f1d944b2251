/** Phases of schedules: which one runs, and their form as text in a checkpoint. */
import type { ProviderSchedule, SchedulePhase } from '../objects';

/** The phase of a schedule that runs now, and the one after it; undefined where there is none. */
export function phasesFromNow({ phases, runningSince }: ProviderSchedule): {
  readonly running: SchedulePhase | undefined;
  readonly upcoming: SchedulePhase | undefined;
} {
  const at = phases.findIndex(({ startDate }) => startDate.getTime() === runningSince?.getTime());
  return at === -1 ? { running: undefined, upcoming: undefined } : { running: phases[at], upcoming: phases[at + 1] };
}

/** A phase as text, from which {@link phaseOfText} makes the same request again. */
export function textOfPhase(phase: SchedulePhase): string {
  return JSON.stringify(phase);
}

/** Reads what {@link textOfPhase} wrote. */
export function phaseOfText(text: string): SchedulePhase {
  const { startDate, endDate, ...phase } = JSON.parse(text) as Omit<SchedulePhase, 'startDate' | 'endDate'> & {
    readonly startDate: string;
    readonly endDate: string;
  };
  return { ...phase, startDate: new Date(startDate), endDate: new Date(endDate) };
}
