import type { OutboxCounts } from '../../sync/outbox/outbox-types.ts'

/** Such as '2 waiting · 1 not sent'; empty when there is nothing. */
export function describeCounts({ waiting, failed }: OutboxCounts): string {
  const parts = [
    ...(waiting > 0 ? [`${waiting.toLocaleString('en')} waiting`] : []),
    ...(failed > 0 ? [`${failed.toLocaleString('en')} not sent`] : []),
  ]
  return parts.join(' · ')
}
