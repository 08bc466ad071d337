import { type PlannedStatus, planOrdinary, type Script } from '../customers/scripts.ts'
import type { Emulation } from '../state/emulation.ts'
import type { SentMessage } from '../state/emulator-state.ts'
import { receiveMessage } from './receive-message.ts'
import { describeStatus, type StatusChange, wrapStatuses } from './webhook-values.ts'

/** Records a status and sends it. */
export function emitStatus(
  emulation: Emulation,
  message: SentMessage,
  options: { planned: Omit<PlannedStatus, 'afterMs'>; copies?: number; at?: number },
) {
  const change = record(emulation, message, options.planned, options.at)
  emulation.webhooks.send([toChange(emulation, message, [change])], options.copies)
}

/** Schedules the webhooks that follow a message. */
export function scheduleStatuses(
  emulation: Emulation,
  message: SentMessage,
  options: { script: Script; planned: readonly PlannedStatus[] },
) {
  const { clock, config } = emulation
  const { manner } = options.script
  const from = clock.now()
  const planned = options.planned.filter(({ status }) => !(manner === 'early' && status === 'sent'))
  if (manner === 'one batch') {
    clock.at(from + config.latencies.sentMs, () => sendOneBatch(emulation, message, planned))
    return
  }
  for (const one of planned) {
    const copies = manner === 'twice' ? 2 : 1
    clock.at(from + one.afterMs, () => emitStatus(emulation, message, { planned: one, copies }))
  }
  if (manner !== 'again') return
  const last = Math.max(...planned.map(({ afterMs }) => afterMs))
  clock.at(from + last + 100, () => {
    emulation.webhooks.send([toChange(emulation, message, message.statuses)])
  })
}

/** Sends `sent` before the send's answer. */
export async function sendEarly(emulation: Emulation, message: SentMessage) {
  const change = record(emulation, message, { status: 'sent' })
  await emulation.webhooks.sendNow([toChange(emulation, message, [change])])
}

export function planStatuses(
  emulation: Emulation,
  message: Pick<SentMessage, 'type'>,
  script: Script,
): readonly PlannedStatus[] {
  const planned = script.statuses ?? planOrdinary(emulation.config.latencies)
  return message.type === 'reaction' ? planned.filter(({ status }) => status === 'sent') : planned
}

function record(
  emulation: Emulation,
  message: SentMessage,
  planned: Omit<PlannedStatus, 'afterMs'>,
  at = emulation.clock.now(),
): StatusChange {
  const change = { status: planned.status, at, errorCode: planned.errorCode ?? null }
  message.statuses.push(change)
  return change
}

function toChange(emulation: Emulation, message: SentMessage, changes: StatusChange[]) {
  const statuses = changes.map((change) => describeStatus(emulation, message, change))
  return { field: 'messages', value: wrapStatuses(emulation, message, statuses) }
}

function sendOneBatch(
  emulation: Emulation,
  message: SentMessage,
  planned: readonly PlannedStatus[],
) {
  const changes = planned.map((one) => record(emulation, message, one))
  const { change } = receiveMessage(emulation, {
    from: message.customer.digits,
    phoneNumberId: message.phoneNumberId,
    type: 'text',
    content: { body: 'All at once' },
  })
  emulation.webhooks.send([toChange(emulation, message, changes), change])
}
